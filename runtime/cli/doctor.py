"""`runtime doctor`: which nets of the jail hold on this machine, and whether any attack gets through them."""

from __future__ import annotations

import click

from runtime.cli.exit_codes import DONE, FAILED, REFUSED
from runtime.cli.options import format_option
from runtime.cli.render.output import Format, say, show_json, show_rows, show_text


@click.command()
@click.option("--attack", is_flag=True, help="Run the hostile corpus in the jail of this machine.")
@format_option
def doctor(attack: bool, form: Format) -> int:
    """Say which nets hold code born at run time on this machine, by starting a child and asking it.

    Ends with 4 where one is off that the jail requires. With --attack every attack of the shipped corpus is
    tried in a child of its own; ends with 1 where one gets what it wants.
    """
    import asyncio

    return asyncio.run(_attack(form) if attack else _examine(form))


async def _examine(form: Format) -> int:
    from runtime.jail.report import examine

    report = await examine()
    value = report.to_value()
    if form is Format.JSON:
        show_json("doctor/1", value)
    else:
        rows = [
            {
                "net": net["net"],
                "state": "on" if net["on"] else "OFF" if net["required"] else "off",
                "about": net["about"] if net["on"] else f"{net['about']}: {net['why']}",
            }
            for net in value["nets"]
        ]
        if form is Format.HUMAN:
            way = "forked from a zygote" if report.way == "zygote" else "started one by one"
            show_text(f"jail.level {report.level}, children are {way}")
        show_rows("doctor.net/1", ("net", "state", "about"), rows, form)
    if report.missing:
        off = ", ".join(report.missing)
        say(f"not full: {off} off; code born at run time runs only with `jail.level: basic`")
        return REFUSED
    return DONE


async def _attack(form: Format) -> int:
    from runtime.jail.attacks.corpus import run

    won = total = 0
    rows = []
    async for outcome in run():
        total += 1
        won += outcome.won
        row = {
            "attack": f"{outcome.kind}/{outcome.attack.name}",
            "wants": outcome.attack.wants,
            "ending": outcome.ending,
        }
        if form is Format.JSON:
            show_json("doctor.attack/1", {**row, "won": outcome.won, "detail": outcome.detail})
        rows.append(row)
    if form is not Format.JSON:
        show_rows("doctor.attack/1", ("attack", "ending", "wants"), rows, form)
    say(f"{total} attacks, {won} got what they wanted")
    return FAILED if won else DONE
