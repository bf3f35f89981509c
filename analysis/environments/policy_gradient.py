#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Learn to move the cut of a pipeline between two Raspberry Pis as their bandwidth changes.

REINFORCE (R. J. Williams, "Simple statistical gradient-following algorithms for connectionist
reinforcement learning", Machine Learning 8, 1992) with a baseline, in plain PyTorch, over
edgepipe.environment: an episode trains RegNet while both devices replay traces/bandwidth/lte-up.csv, a step
is a decision. Prints the time of an episode under each seed's policy, beside those of the planner `exact`
deciding once and at every change.
"""

import functools
import multiprocessing
import os
from pathlib import Path

from edgepipe.interpreter import need

need("torch", "numpy")

import torch
from edgepipe import run
from edgepipe.environment import PipelineEnvironment
from edgepipe.pictures import Parser, number

STUDY = {"cluster": Path(__file__).resolve().parent / "pi-pair.json", "model": "regnet_x_200mf",
         "micro_batch_size": 4, "iterations": 30, "trace": "lte-up", "trace_scale": 10, "delay": "2ms",
         "send_buffer": 0, "monitor": "oracle", "load": "", "adjacent": "off", "timeline": False}


class Policy(torch.nn.Module):
    """Log-probabilities of the cuts, from an observation."""

    def __init__(self, observed, cuts, hidden=64):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(observed, hidden), torch.nn.Tanh(),
                                          torch.nn.Linear(hidden, cuts))

    def forward(self, observations):
        return torch.log_softmax(self.layers(observations), -1)


def play(environment, policy, seed, explore=True):
    observation, _ = environment.reset(seed=seed)
    observations, actions, rewards, ended = [], [], [], False
    while not ended:
        seen = torch.as_tensor(observation)
        with torch.no_grad():
            odds = policy(seen)
        action = int(torch.multinomial(odds.exp(), 1) if explore else odds.argmax())
        observation, reward, ended, truncated, _ = environment.step(action)
        observations.append(seen)
        actions.append(action)
        rewards.append(reward)
    return torch.stack(observations), torch.tensor(actions), torch.tensor(rewards)


def returns(rewards):
    return rewards.flip(0).cumsum(0).flip(0)


def learn(seed, episodes, batch=8):
    """Trains a policy; returns the seconds of an episode under it, without exploration."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    environment = PipelineEnvironment(**STUDY)
    policy = Policy(environment.observation_space.shape[0], int(environment.action_space.n))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    for _ in range(episodes // batch):
        played = [play(environment, policy, seed) for _ in range(batch)]
        totals = [returns(rewards) for _, _, rewards in played]
        # The baseline of a step is the batch's mean return from there. Dividing by the deviation gives steps
        # equal weight, though the first decides on tens of seconds and later ones on a few.
        length = max(map(len, totals))
        padded = torch.full((batch, length), float("nan"))
        for row, total in zip(padded, totals):
            row[:len(total)] = total
        centred = padded - padded.nanmean(0)
        advantage = centred / (centred.square().nanmean(0).sqrt() + 0.1)
        advantage = torch.cat([row[:len(total)] for row, total in zip(advantage, totals)])
        odds = policy(torch.cat([observations for observations, _, _ in played]))
        chosen = odds.gather(1, torch.cat([actions for _, actions, _ in played])[:, None])[:, 0]
        entropy = -(odds.exp() * odds).sum(1).mean()
        loss = -(chosen * advantage).mean() - 0.02 * entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    seconds = -float(play(environment, policy, seed, explore=False)[2].sum())
    environment.close()
    return seconds


def exact():
    """Seconds of an episode under `exact`, deciding once and at every change."""
    rows = run("adaptive-training", planner="exact", **STUDY).rows()
    seconds = {row["case"]: float(row["totalSeconds"]) for row in rows}
    return seconds["neither"], seconds["replanning"]


def main():
    parser = Parser(__doc__)
    for name, default, text in (("seeds", 5, "policies to train"), ("episodes", 240, "training episodes of each"),
                                ("jobs", os.cpu_count(), "policies to train at once")):
        parser.option(name, default, text, type=number(1, 1e6, int), metavar="N")
    options = parser.parse_args()
    once, anew = exact()
    print(f"exact, decided once:                {once:.2f} s")
    print(f"exact, anew at every change:        {anew:.2f} s", flush=True)
    seeds = range(1, options.seeds + 1)
    with multiprocessing.get_context("spawn").Pool(min(options.jobs, options.seeds)) as pool:
        learning = pool.imap(functools.partial(learn, episodes=options.episodes), seeds)
        for seed, seconds in zip(seeds, learning):
            print(f"learnt in {options.episodes} episodes, seed {seed}:    {seconds:.2f} s, "
                  f"{seconds / anew:.3f} of anew, {seconds / once:.3f} of once", flush=True)


if __name__ == "__main__":
    main()
