"""Trains one model on both sides in turn, and writes what that came to as JSON.

    compare.py --program build/host/peer_trainer --contest mlp --output FILE

Ours is `peer_trainer`, theirs `torch_trainer.py` (a process for each pipeline rank).
Ours writes the model, its weights and its batches into a folder that theirs reads. Then
both wait, and train only when it is their turn, so that what else goes on here slows
both alike:

    ours      [turn]        [turn][turn]        [turn]  …
    theirs          [turn][turn]        [turn][turn]    …
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Side:
    """Processes that train together: told to by a line, they answer by one each."""

    def __init__(self, commands, environments):
        self.processes = [
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, **ONE_THREAD, **environment},
            )
            for command, environment in zip(commands, environments)
        ]
        self.answers()  # "ready"

    def answers(self):
        lines = [process.stdout.readline() for process in self.processes]
        if not all(lines):
            self.stop()
            sys.exit("one side ended before its time; what it said is above")
        return lines

    def turn(self):
        """The slowest process's times, and the losses of the one that has them."""
        for process in self.processes:
            process.stdin.write("turn\n")
            process.stdin.flush()
        turns = [json.loads(line) for line in self.answers()]
        return {
            "seconds": max(turn["seconds"] for turn in turns),
            "cpu_seconds": sum(turn["cpu_seconds"] for turn in turns),
            "losses": next(turn["losses"] for turn in turns if turn["losses"]),
            "held_out": [turn["held_out"] for turn in turns if "held_out" in turn],
        }

    def stop(self):
        for process in self.processes:
            process.stdin.close()
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def ours(program, contest, folder):
    return Side([[program, contest, folder]], [{}])


def theirs(folder, ranks):
    trainer = [sys.executable, str(HERE / "torch_trainer.py"), folder]
    commands = [[*trainer, "--rank", str(rank)] for rank in range(ranks)]
    return Side(commands, [{}] * ranks)


def gap(ours, theirs):
    return abs(ours - theirs) / max(abs(ours), abs(theirs), 1e-12)


def compare(setting, ours, theirs, rounds):
    """The first turn of each warms up; its losses count, its time does not."""
    our_turns, their_turns = [ours.turn()], [theirs.turn()]
    for index in range(rounds):
        pair = [(ours, our_turns), (theirs, their_turns)]
        for side, turns in pair if index % 2 == 0 else reversed(pair):
            turns.append(side.turn())
    count = setting["steps"] * setting["samples"] * setting["positions"]

    def rates(turns, key="seconds"):
        return [count / turn[key] for turn in turns[1:]]

    def ratio(key):
        pairs = zip(rates(our_turns, key), rates(their_turns, key))
        return [mine / yours for mine, yours in pairs]

    our_losses = [loss for turn in our_turns for loss in turn["losses"]]
    their_losses = [loss for turn in their_turns for loss in turn["losses"]]
    gaps = list(map(gap, our_losses, their_losses))
    held_out = [loss for turn in our_turns for loss in turn["held_out"]]
    their_held_out = [loss for turn in their_turns for loss in turn["held_out"]]
    held_out_gaps = list(map(gap, held_out, their_held_out))
    return {
        "contest": setting["contest"],
        "rounds": rounds,
        "steps": len(our_losses),
        "ours": statistics.median(rates(our_turns)),
        "theirs": statistics.median(rates(their_turns)),
        "ratio": statistics.median(ratio("seconds")),
        "ratios": ratio("seconds"),
        "cpu_ratio": statistics.median(ratio("cpu_seconds")),
        "first_loss": our_losses[0],
        "last_loss": our_losses[-1],
        "first_gap": gaps[0],
        "largest_gap": max(gaps + held_out_gaps),
        "held_out": held_out,
        "held_out_gaps": held_out_gaps,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="our trainer")
    parser.add_argument("--contest", required=True)
    parser.add_argument("--output", required=True, help="of the JSON")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workbook-peer-") as folder:
        our_side = ours(arguments.program, arguments.contest, folder)
        setting = json.loads((pathlib.Path(folder) / "setting.json").read_text())
        their_side = theirs(folder, setting["devices"])
        result = compare(setting, our_side, their_side, arguments.rounds)
        our_side.stop()
        their_side.stop()
    pathlib.Path(arguments.output).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
