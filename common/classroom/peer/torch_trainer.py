"""Their side of `./workbook bench --peer`: PyTorch, on one thread.

    torch_trainer.py FOLDER [--rank R]

Reads the model, its weights and its batches from the folder, prints "ready", and trains
for one turn whenever it reads a line. With several devices in the setting, each rank is
a process with its stages of PyTorch's own pipeline.
"""

import argparse
import json
import os
import pathlib
import sys
import time

import numpy
import torch
from torch import distributed
from torch.distributed import pipelining

import torch_models


class Batches:
    """Used in turn, over and over."""

    def __init__(self, folder, setting):
        shape = [setting["batches"], setting["samples"]]
        if setting["unit"] == "tokens":
            shape.append(setting["positions"])
        inputs = numpy.fromfile(folder / "inputs.bin", dtype=numpy.float32)
        labels = numpy.fromfile(folder / "labels.bin", dtype=numpy.int32)
        self.labels = torch.from_numpy(labels).long().reshape(shape)
        if setting["unit"] == "tokens":
            self.inputs = torch.from_numpy(inputs).long().reshape(shape)
        else:
            self.inputs = torch.from_numpy(inputs).reshape(*shape, -1)
        self.done = 0

        self.held_out = None
        if setting["held_out"]:
            held = [setting["held_out"], setting["positions"]]
            inputs = numpy.fromfile(folder / "held_inputs.bin", dtype=numpy.float32)
            labels = numpy.fromfile(folder / "held_labels.bin", dtype=numpy.int32)
            self.held_out = (
                torch.from_numpy(inputs).long().reshape(held),
                torch.from_numpy(labels).long().reshape(held),
            )

    def next(self):
        index = self.done % len(self.inputs)
        self.done += 1
        return self.inputs[index], self.labels[index]


def make_optimizer(setting, parameters):
    """The fused ones, the fastest that PyTorch has for a processor."""
    asked = setting["optimizer"]
    if asked["kind"] == "sgd":
        return torch.optim.SGD(
            parameters, lr=asked["rate"], momentum=asked["momentum"], fused=True
        )
    parameters = list(parameters)
    groups = [
        {"params": [p for p in parameters if p.ndim > 1]},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        groups,
        lr=asked["rate"],
        betas=(asked["beta1"], asked["beta2"]),
        eps=asked["epsilon"],
        weight_decay=asked["decay"],
        fused=True,
    )


class OneProcess:
    def __init__(self, setting, folder):
        blocks = torch_models.make(setting, folder / "weights.bin")
        tables = list(torch_models.tied(blocks))
        if tables:
            tables[1].weight = tables[0].weight
        self.model = torch.nn.Sequential(*blocks)
        self.optimizer = make_optimizer(setting, self.model.parameters())

    def step(self, inputs, labels):
        self.optimizer.zero_grad()
        loss = torch_models.loss_of(self.model(inputs), labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def evaluate(self, inputs, labels):
        with torch.no_grad():
            return torch_models.loss_of(self.model(inputs), labels).item()

    def stop(self):
        pass


class Pipeline:
    """The stages of one rank; stage s lies on rank s modulo the number of ranks."""

    SCHEDULES = {
        "1f1b": lambda stages, *rest: pipelining.Schedule1F1B(stages[0], *rest),
        "interleaved": pipelining.ScheduleInterleaved1F1B,
    }

    def __init__(self, setting, folder, rank):
        self.rank = rank
        self.ranks = setting["devices"]
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        distributed.init_process_group(
            "gloo",
            init_method=f"file://{folder.resolve()}/meeting",
            rank=rank,
            world_size=self.ranks,
        )
        blocks = torch_models.make(setting, folder / "weights.bin")
        # A cut is the number of blocks before it; a stage lies between two.
        cuts = [*setting["cuts"], len(blocks)]
        count = len(cuts) - 1
        mine = {s: blocks[cuts[s] : cuts[s + 1]] for s in range(rank, count, self.ranks)}
        kept = [block for stage in mine.values() for block in stage]
        self.tables = list(torch_models.tied(kept))
        self.optimizer = make_optimizer(
            setting, torch.nn.ModuleList(kept).parameters()
        )
        stages = [
            pipelining.PipelineStage(
                torch.nn.Sequential(*stage), index, count, torch.device("cpu")
            )
            for index, stage in mine.items()
        ]
        self.schedule = self.SCHEDULES[setting["schedule"]](
            stages, setting["micro_batches"], torch_models.loss_of
        )

    def step(self, inputs, labels):
        self.optimizer.zero_grad()
        losses = []
        first, last = self.rank == 0, self.rank == self.ranks - 1
        self.schedule.step(
            *([inputs] if first else []),
            target=labels if last else None,
            losses=losses if last else None,
        )
        for table in self.tables:
            distributed.all_reduce(table.weight.grad)
        self.optimizer.step()
        return torch.stack(losses).mean().item() if last else None

    def stop(self):
        distributed.destroy_process_group()


def turn(trainer, batches, steps):
    start, cpu_start = time.perf_counter(), time.process_time()
    losses = [trainer.step(*batches.next()) for _ in range(steps)]
    result = {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
        "losses": [loss for loss in losses if loss is not None],
    }
    if batches.held_out is not None:
        result["held_out"] = trainer.evaluate(*batches.held_out)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rank", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    folder = arguments.folder
    setting = json.loads((folder / "setting.json").read_text())
    batches = Batches(folder, setting)
    if setting["devices"] == 1:
        trainer = OneProcess(setting, folder)
    else:
        trainer = Pipeline(setting, folder, arguments.rank)
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(turn(trainer, batches, setting["steps"])), flush=True)
    trainer.stop()


if __name__ == "__main__":
    main()
