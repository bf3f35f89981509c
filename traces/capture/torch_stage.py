# SPDX-License-Identifier: GPL-2.0-only
"""Some layers of a network, executed by PyTorch with a time stamp after each.

Their inputs are those of one pass through the layers before; each execution gets copies of them. Layers are
timed in context, as profile_model.py times those of a whole network.
"""

import argparse
import time

import profile_model
from edgepipe.pictures import InputError
from profile_model import map_tensors, tensors_in


def load_network(model):
    """A torchvision network with its layers, on one thread."""
    profile_model.load_torch([model])
    profile_model.torch.set_num_threads(1)
    profile_model.torch.manual_seed(1)
    try:
        network, _, _ = profile_model.describe_model(argparse.Namespace(
            model=model, name=None, input_shape=None, input_below=None), profile_model.torch.device("cpu"))
    except InputError as error:
        raise ValueError(error) from None
    return network


class TorchStage:
    def __init__(self, model, batch, layers, trains):
        """layers: names in the network's order; trains: whether there are backward passes."""
        self.network, self.trains = load_network(model), trains
        self.network.traced.train(trains)
        chosen = [layer.node for layer in self.network.layers if layer.name in layers]
        if [layer.name for layer in self.network.layers if layer.name in layers] != layers:
            raise ValueError(f"{model}: found other layers or another order, expected those of the plan, "
                             f"{layers[0]} to {layers[-1]}")
        # The nodes before a layer's own, such as constants, are its part.
        ends = [0, *(self.network.nodes.index(layer.node) + 1 for layer in self.network.layers)]
        self.nodes = [node for begin, end in zip(ends, ends[1:]) if self.network.nodes[end - 1] in chosen
                      for node in self.network.nodes[begin:end]]
        self.index = {node: i for i, node in enumerate(chosen)}
        self.values = self.network.sample(batch, profile_model.torch.device("cpu"))
        self.given, self.under_way = {}, {}
        with profile_model.torch.no_grad():
            self.network.run(self.values, self._take)
        self.read_later = {node for node in self.nodes if set(node.users) - set(self.nodes)}

    def _take(self, node, result):
        if node not in self.nodes and set(node.users) & set(self.nodes):
            self.given[node] = result

    def begin(self):
        """Begins an iteration: gradients are those of its micro-batches."""
        self.network.traced.zero_grad(set_to_none=True)

    def forward(self, key):
        """Seconds of each layer; key: names the pass for backward."""
        with profile_model.torch.set_grad_enabled(self.trains):
            return self._forward(key)

    def _forward(self, key):
        env = {node: value if node.op == "get_attr" else map_tensors(value, self._copy)
               for node, value in self.given.items()}
        fired, hooked = [], []
        seconds, last = [0.0] * len(self.index), time.perf_counter()
        for node in self.nodes:
            env[node] = result = self.network.evaluate(node, self.values, env.__getitem__)
            if node in self.index:
                now = time.perf_counter()
                seconds[self.index[node]] += now - last
                last = now
                for tensor in tensors_in(result):
                    # A layer that returns its input has no backward work of its own.
                    if tensor.requires_grad and not any(tensor is other for other in hooked):
                        hooked.append(tensor)
                        tensor.register_hook(
                            lambda _, i=self.index[node]: fired.append((i, time.perf_counter())))
            for used in self.network.dead_after(node):
                env.pop(used, None)
        outputs = [tensor for node in self.read_later for tensor in tensors_in(env.get(node)) if tensor.requires_grad]
        self.under_way[key] = outputs, fired
        return seconds

    def backward(self, key):
        """Seconds of each layer; the time before the first hook, that of the gradients' copies, is the last layer's."""
        outputs, fired = self.under_way.pop(key)
        seconds = [0.0] * len(self.index)
        if outputs:
            begin = time.perf_counter()
            profile_model.torch.autograd.backward(outputs, [profile_model.torch.ones_like(one) for one in outputs])
            times = [*(at for _, at in fired[1:]), time.perf_counter()]
            for (i, _), start, end in zip(fired, [begin, *times], times):
                seconds[i] += end - start
        return seconds

    def _copy(self, tensor):
        return tensor.detach().requires_grad_(self.trains and tensor.is_floating_point())
