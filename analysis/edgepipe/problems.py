# SPDX-License-Identifier: GPL-2.0-only
"""Problems and plans as objects, units in their names; doc/reference/problems.rst has their JSON.

Members are named as in the JSON, in Python's spelling: outputBytes is output_bytes. Members that this module
does not know are kept and written back.
"""

import dataclasses
import functools
import json
import re
from typing import Any, Dict, List, Optional, Union, get_args, get_origin

FORM_VERSION = 1


class PlanError(ValueError):
    """A planner returned no valid plan, or was given no valid problem."""


@functools.lru_cache(maxsize=None)
def _camel(name):
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def expect(is_so, what, found, expected):
    if not is_so:
        raise PlanError(f"{what}: found {found!r:.60}, expected {expected}")


def _span(text, names, what):
    """First and last of a plan's layers, from a text such as "FIRST..LAST" or a name."""
    ends = [(text, text)] + [(text[:at.start()], text[at.end():]) for at in re.finditer(r"\.\.", text)]
    ends = [pair for pair in ends if set(names).issuperset(pair)]
    expect(len(ends) == 1, "plan", what, "layers of the problem")
    return ends[0]


def _at(entries, index):
    """The entry at an index, which may not count from the end."""
    expect(hasattr(index, "__index__") and 0 <= index < len(entries), "index", index,
           f"a whole number from 0 to {len(entries) - 1}")
    return entries[index]


class _Form:
    """Base of the classes that are read from and written to JSON, member by member."""

    common = {}

    @classmethod
    def from_json(cls, form):
        if not isinstance(form, dict):
            raise PlanError(f"found {json.dumps(form)[:60]}, expected an object")
        left = dict(form)
        values = {}
        for field in dataclasses.fields(cls):
            if field.name != "more" and _camel(field.name) in left:
                values[field.name] = cls._read(field.type, left.pop(_camel(field.name)))
            elif field.default is field.default_factory is dataclasses.MISSING:
                raise PlanError(f'"{_camel(field.name)}" is missing')
        return cls(**values, more=left)

    @staticmethod
    def _read(kind, value):
        """kind: declared type of a member, such as List[Layer]."""
        if get_origin(kind) is Union:  # Optional
            kind = get_args(kind)[0]
        part = next((one for one in (kind, *get_args(kind)) if isinstance(one, type) and issubclass(one, _Form)), None)
        if part is None or value is None:
            return value
        if isinstance(value, list):
            return [part.from_json(one) for one in value]
        if get_origin(kind) is dict:
            return {key: part.from_json(one) for key, one in value.items()}
        return part.from_json(value)

    def to_json(self):
        """A dictionary for json.dumps."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**{_camel(name): _write(value) for name, value in values.items()
                   if name != "more" and value is not None}, **self.more}


def _write(value):
    if isinstance(value, (list, tuple)):
        return [_write(one) for one in value]
    if isinstance(value, dict):
        return {key: _write(one) for key, one in value.items()}
    return value.to_json() if isinstance(value, _Form) else value


def _form(cls):
    """A dataclass with its own members, those of all plans or problems, and `more`: unknown members."""
    for name, kind in cls.common.items():
        cls.__annotations__[name] = Optional[kind]
        setattr(cls, name, None)
    cls.__annotations__["more"] = Dict[str, Any]
    cls.more = dataclasses.field(default_factory=dict, repr=False)
    return dataclasses.dataclass(cls)


@_form
class DeviceState(_Form):
    """State of a device during a run; None: unknown."""
    name: str
    uplink_bits_per_second: Optional[float] = None
    downlink_bits_per_second: Optional[float] = None
    share: Optional[float] = None
    backlog: Optional[int] = None


@_form
class State(_Form):
    """State during a run; `plan`: the plan in force, a dictionary."""
    seconds: float
    plan: Dict[str, Any]
    devices: List[DeviceState] = dataclasses.field(default_factory=list)


@_form
class PartSeconds(_Form):
    """Seconds of each layer on a device type, for some samples of a micro-batch."""
    samples: int
    forward_seconds: List[float]
    backward_seconds: List[float]


@_form
class LayerSeconds(_Form):
    """Seconds of each layer on a device type, per micro-batch; `parts`: of 1 sample and more, or None."""
    forward_seconds: List[float]
    backward_seconds: List[float]
    parts: Optional[List[PartSeconds]] = None


@_form
class TiedWeights(_Form):
    """Weights of an earlier layer, by name, that a layer uses again."""
    layer: str
    bytes: int


@_form
class Layer(_Form):
    """A layer of a pipeline, figures per micro-batch; `inputs` are names."""
    name: str
    inputs: List[str]
    output_bytes: int
    parameter_bytes: int
    activation_bytes: int
    tied: Optional[List[TiedWeights]] = None


@_form
class Device(_Form):
    """A device of a pipeline; `type` is a key of the problem's costs.

    A rate of None is the problem's bandwidth, a delay of None is 0.
    """
    name: str
    type: str
    memory_bytes: int
    uplink_bits_per_second: Optional[float] = None
    downlink_bits_per_second: Optional[float] = None
    delay_seconds: Optional[float] = None


@_form
class Replica(_Form):
    """A device of a group, and its samples of every micro-batch."""
    device: str
    samples: int


@_form
class Stage(_Form):
    """Consecutive layers, by their names, both ends included, on a device or on `devices`, a group."""
    first_layer: str
    last_layer: str
    device: Optional[str] = None
    devices: Optional[List[Replica]] = None


class _Plan(_Form):
    common = {"planner": str, "model": str, "layer_count": int}

    def to_json(self):
        return {"formatVersion": FORM_VERSION, **super().to_json()}


@_form
class PipelinePlan(_Plan):
    stages: List[Stage]


@_form
class TwoWayCutPlan(_Plan):
    device_layers: List[str]
    server_layers: List[str]


@_form
class MultiActorPlan(_Plan):
    """`cuts`: number of layers that each actor runs itself, 0 to all."""
    cuts: List[int]
    actors: Optional[List[str]] = None


@_form
class BatchSharesPlan(_Plan):
    """`batches`: samples of each node, at least one."""
    batches: List[int]


@_form
class LanguagePart(_Form):
    """A node's share of a language model: layers, or parts of every layer."""
    node: str
    amount: int


@_form
class LanguageModelPlan(_Plan):
    """`parts`: in the order of the exchange, the first node first."""
    parts: List[LanguagePart]


class _Problem(_Form):
    common = {"state": State, "model": str}
    origin = None  # scenario and options of the run that it was read from

    def to_json(self):
        form = super().to_json()
        return {"problem": self.kind, "formatVersion": FORM_VERSION, **form}


@_form
class PipelineProblem(_Problem):
    """Cut the layers into stages and assign devices; figures per micro-batch."""
    kind = "pipeline"
    micro_batches: int
    layers: List[Layer]
    devices: List[Device]
    costs: Dict[str, LayerSeconds]
    bandwidth_bits_per_second: float
    optimizer_states: Optional[int] = None
    recomputes: Optional[bool] = None
    micro_batch_samples: Optional[int] = None
    shares_medium: Optional[bool] = None

    def plan(self, stages):
        """stages: (device, first layer, last layer) each, by name or by index.

        A group of devices is a dictionary of their samples of every micro-batch.
        """
        def name(entries, one):
            return one if isinstance(one, str) else _at(entries, one).name

        def place(device):
            if not isinstance(device, dict):
                return {"device": name(self.devices, device)}
            for samples in device.values():
                expect(hasattr(samples, "__index__"), "samples", samples, "a whole number")
            return {"devices": [Replica(name(self.devices, one), int(samples)) for one, samples in device.items()]}
        return PipelinePlan([Stage(name(self.layers, first), name(self.layers, last), **place(device))
                             for device, first, last in stages],
                            model=self.model, layer_count=len(self.layers))

    def plan_of(self, text):
        """The plan in the column `plan` of results.csv: stages such as "DEVICE FIRST..LAST", joined by " > "."""
        layers, devices = [layer.name for layer in self.layers], [one.name for one in self.devices]
        stages = []
        for stage in text.split(" > "):
            group, _, span = stage.rpartition(") ")
            device, _, span = ("", "", span) if group else stage.partition(" ")
            if group:
                device = {}
                for part in f"{group})".split(" + "):
                    match = re.fullmatch(r"(.*) \((\d+)(?: each)?\)", part)
                    expect(match, "plan", stage, "the samples of each device")
                    names, samples = match.groups()
                    ends = [names] if names in devices else names.split("..")
                    expect({*ends} <= {*devices}, "plan", stage, "devices of the problem")
                    first, last = devices.index(ends[0]), devices.index(ends[-1])
                    device.update(dict.fromkeys(devices[first:last + 1], int(samples)))
            expect(device and (group or device in devices), "plan", stage, "a device and layers of the problem")
            stages.append((device, *_span(span, layers, stage)))
        return self.plan(stages)

    def seconds(self, device, first, last, samples=None):
        """Forward and backward seconds of the layers first to last on a device, all indices.

        samples: of a micro-batch, by default all, else between those with known costs.
        """
        costs, part = self.costs[_at(self.devices, device).type], self._part(first, last)
        def add(cost):
            return sum(cost.forward_seconds[part]), sum(cost.backward_seconds[part])
        if samples in (None, self.micro_batch_samples):
            return add(costs)
        known = {**{one.samples: one for one in costs.parts or []}, self.micro_batch_samples: costs}
        expect(costs.parts and hasattr(samples, "__index__") and 1 <= samples < self.micro_batch_samples,
               "samples", samples, "those of a part with known costs")
        below = max(count for count in known if count <= samples)
        above = min(count for count in known if count >= samples)
        share = (samples - below) / max(above - below, 1)
        return tuple(one + share * (other - one) for one, other in zip(add(known[below]), add(known[above])))

    def _part(self, first, last):
        expect(0 <= first <= last < len(self.layers), "layers", (first, last),
               f"first and last out of 0 to {len(self.layers) - 1}")
        return slice(first, last + 1)

    def memory_bytes(self, first, last):
        """Memory of a stage, by the rule on the manual's page on devices."""
        layers, cuts = self.layers[self._part(first, last)], [*self.cut_bytes(), 0]
        outputs = {layer.name: layer.output_bytes for layer in self.layers}
        used = {name for layer in self.layers for name in layer.inputs}
        loss = [0 if layer.name in used else layer.output_bytes for layer in layers]  # it keeps a copy
        kept = sum(loss) + sum(layer.activation_bytes for layer in layers)
        received = cuts[first - 1] if first else outputs[self.layers[0].name]
        read = sum(outputs[name] for name in layers[0].inputs)
        if first:
            kept += received - (min(read, received) if layers[0].activation_bytes >= read else 0)
        weights = sum(layer.parameter_bytes for layer in layers)
        for owner in self.layers[:first]:
            weights += max((tie.bytes for layer in layers for tie in layer.tied or [] if tie.layer == owner.name),
                           default=0)
        alive = [cut + out for cut, out in zip(cuts[first:last + 1], loss)]
        always = ((2 + (self.optimizer_states or 0)) * weights
                  + 2 * max(alive + cuts[max(first, 1) - 1:first]))
        return always + (kept + self.micro_batches * received if self.recomputes
                         else self.micro_batches * kept)

    def cut_bytes(self):
        """For every layer but the last, bytes of the tensors that cross a cut after it."""
        last_use = {one: index for index, layer in enumerate(self.layers) for one in layer.inputs}
        cuts = [0] * len(self.layers)
        for index, layer in enumerate(self.layers):
            for cut in range(index, last_use.get(layer.name, index)):
                cuts[cut] += layer.output_bytes
        return cuts[:-1]

    def bits_per_second(self, sender, receiver):
        """Rate between two devices, by index: the lesser of uplink and downlink."""
        return min(self.devices[sender].uplink_bits_per_second or self.bandwidth_bits_per_second,
                   self.devices[receiver].downlink_bits_per_second or self.bandwidth_bits_per_second)

    def iteration_seconds(self, plan):
        """Predicted seconds of a mini-batch under a plan without groups, as in the column `predicted`."""
        expect(all(stage.device for stage in plan.stages), "plan", "groups", "one device a stage")
        names = [{one.name: index for index, one in enumerate(entries)}
                 for entries in (self.devices, self.layers)]
        cuts = self.cut_bytes()
        stages = [(names[0][s.device], names[1][s.first_layer], names[1][s.last_layer])
                  for s in plan.stages]
        sides = list(zip(*(self.seconds(*stage) for stage in stages)))
        pairs = [(one[0], other[0], 8 * cuts[one[2]]) for one, other in zip(stages, stages[1:])]
        moves = ([bits / self.bits_per_second(one, other) for one, other, bits in pairs],
                 [bits / self.bits_per_second(other, one) for one, other, bits in pairs])
        delays = [sum(self.devices[device].delay_seconds or 0 for device in pair[:2]) for pair in pairs]
        longest = [max(*side, *move, 0) for side, move in zip(sides, moves)]
        left = sum(map(sum, (*sides, *moves))) + 2 * sum(delays)  # of a micro-batch, from a stage's backward pass on
        end = left + (self.micro_batches - 1) * sum(longest)
        for index, ring in enumerate(self._ring_seconds(stages)):
            if self.shares_medium:
                end += ring
                continue
            left -= sides[1][index - 1] if index else 0
            if ring:
                slowest = max((*sides[1][index:], *moves[1][max(index - 1, 0):]))
                end = max(end, left + (self.micro_batches - 1) * (longest[0] + slowest) + ring)
            left -= moves[1][index - 1] + delays[index - 1] if index else 0
        return end

    def _ring_seconds(self, stages):
        """By stage, (device, first layer, last layer): seconds of sums of tied weights' gradients that it begins."""
        holders = {}  # by owner: stages and bytes
        places = {layer.name: number for number, (_, first, last) in enumerate(stages)
                  for layer in self.layers[first:last + 1]}
        for layer in self.layers:
            for tie in layer.tied or []:
                if places[tie.layer] != places[layer.name]:
                    stages_of, size = holders.get(tie.layer, ({places[tie.layer]}, 0))
                    holders[tie.layer] = (stages_of | {places[layer.name]}, max(size, tie.bytes))
        rings, sums = [0.0] * len(stages), {}
        for stages_of, size in holders.values():
            key = tuple(sorted(stages_of))
            sums[key] = sums.get(key, 0) + size
        for key, size in sums.items():
            devices = [stages[number][0] for number in key]
            rate = min(self.bits_per_second(one, one) for one in devices)
            delay = sum(sorted(self.devices[one].delay_seconds or 0 for one in devices)[-2:])
            count = 1 if self.shares_medium else len(key)
            rings[key[0]] += 2 * (len(key) - 1) * (8 * size / rate / count + delay)
        return rings


@_form
class TwoWayCutLayer(_Form):
    """A layer, figures per frame; the last five are estimates that some planners use."""
    name: str
    inputs: List[str]
    output_bytes: int
    device_seconds: float
    server_seconds: float
    isolated_device_seconds: Optional[float] = None
    isolated_server_seconds: Optional[float] = None
    predicted_device_seconds: Optional[float] = None
    predicted_server_seconds: Optional[float] = None
    flop: Optional[float] = None


@_form
class TwoWayCutProblem(_Problem):
    """Assign layers to the device or the server; figures per frame."""
    kind = "two-way-cut"
    layers: List[TwoWayCutLayer]
    input_bytes: int
    uplink_bits_per_second: float
    downlink_bits_per_second: float
    count_result: bool = True

    def plan(self, device_layers):
        """device_layers: names or indices; the other layers run on the server."""
        names = {one if isinstance(one, str) else _at(self.layers, one).name for one in device_layers}
        listed = [layer.name for layer in self.layers]
        expect(names <= {*listed}, "layers", names - {*listed}, "names of the problem's layers")
        return TwoWayCutPlan([name for name in listed if name in names],
                             [name for name in listed if name not in names],
                             model=self.model, layer_count=len(self.layers))

    def plan_of(self, text):
        """The plan in the column `plan` of results.csv, "DEVICE FIRST..LAST,LAYER > server FIRST..LAST" or one side."""
        names, mine = [layer.name for layer in self.layers], []
        first, *rest = text.split(" > ")
        expect(len(rest) < 2 and " | " not in text, "plan", text, "one of all devices")
        for span in first.rpartition(" ")[2].split(","):
            begin, end = map(names.index, _span(span, names, text))
            mine += names[begin:end + 1]
        return self.plan([] if first.startswith("server ") else mine)


@_form
class Actor(_Form):
    name: str
    flop_per_second: float
    bytes_per_second: float
    layer_seconds: Optional[List[float]] = None


@_form
class MultiActorProblem(_Problem):
    """Choose after how many layers each actor hands over to the server, within two budgets."""
    kind = "multi-actor"
    layer_flop: List[int]
    output_bytes: List[int]
    actors: List[Actor]
    server_flop_per_second: float
    compute_budget_flop: float
    bandwidth_budget_bytes: float
    delta: float = 1
    server_layer_seconds: Optional[List[float]] = None

    def plan(self, cuts):
        """cuts: layers that each actor runs itself, in the order of the actors."""
        return MultiActorPlan(list(cuts), model=self.model, layer_count=len(self.layer_flop))


@_form
class Node(_Form):
    """A worker, with its measurements."""
    name: str
    ops_per_second: float
    memory_bytes_in_use: float
    latency_seconds: Optional[float] = None
    latencies_seconds: Optional[List[float]] = None
    communication_seconds: float = 0


@_form
class BatchSharesProblem(_Problem):
    """Choose the number of samples of a mini-batch for each node."""
    kind = "batch-shares"
    base_batch: int
    nodes: List[Node]
    normalize: bool = False
    ops_per_sample: Optional[float] = None

    def plan(self, batches):
        """batches: samples of each node, in their order."""
        return BatchSharesPlan(list(batches), model=self.model)


@_form
class LanguageNode(_Form):
    """A device that a language model may be spread over; times of one token, memory for weights and cache."""
    name: str
    layer_seconds: float
    head_seconds: float
    memory_bytes: float
    message_seconds: float
    uplink_bits_per_second: float
    downlink_bits_per_second: float
    disk_bytes_per_second: Optional[float] = None
    is_disk_hidden: Optional[bool] = None


@_form
class LanguageModelProblem(_Problem):
    """Share out the `amount` of a language model: its layers, or with the split `tensors` parts of every layer."""
    kind = "language-model"
    nodes: List[LanguageNode]
    amount: int
    layers: int
    part_bytes: float
    first_bytes: float
    last_bytes: float
    hop_bytes: float
    closing_bytes: float
    delay_seconds: float
    split: str = "layers"
    head: str = "first"
    clients: Optional[int] = None

    def plan(self, parts):
        """parts: (node, amount) each, nodes by name or by index, the first node first."""
        return LanguageModelPlan([LanguagePart(node if isinstance(node, str) else _at(self.nodes, node).name, amount)
                                  for node, amount in parts], model=self.model)


PROBLEMS = {one.kind: one for one in (PipelineProblem, TwoWayCutProblem, MultiActorProblem,
                                      BatchSharesProblem, LanguageModelProblem)}
PLANS = {PipelineProblem: PipelinePlan, TwoWayCutProblem: TwoWayCutPlan,
         MultiActorProblem: MultiActorPlan, BatchSharesProblem: BatchSharesPlan,
         LanguageModelProblem: LanguageModelPlan}


def read_problem(form):
    """Reads a problem from a dictionary."""
    expect(isinstance(form, dict), "problem", form, "an object")
    form = dict(form)
    kind = form.pop("problem", None)
    version = form.pop("formatVersion", FORM_VERSION)
    if not isinstance(kind, str) or kind not in PROBLEMS:
        raise PlanError(f"problem: found {json.dumps(kind)}, expected one of {', '.join(PROBLEMS)}")
    if version != FORM_VERSION:
        raise PlanError(f"formatVersion: found {json.dumps(version)}, expected {FORM_VERSION}")
    return PROBLEMS[kind].from_json(form)


def read_plan(problem, form):
    """Reads a plan for a problem from a dictionary."""
    form = {key: value for key, value in form.items() if key != "formatVersion"}
    return PLANS[type(problem)].from_json(form)


def write_plan(plan):
    """A planner's answer, a plan or a dictionary, as a dictionary."""
    form = plan.to_json() if isinstance(plan, _Form) else plan
    if not isinstance(form, dict):
        raise PlanError(f"found {plan!r:.60}, expected a plan, such as problem.plan(...) makes")
    return form
