"""`refpos check`: whether a checkpoint holds the positions that its configuration says."""

from . import files, screen


def check_model(options):
    """Print a verdict for each positional tensor; the status is 1 where one differs, 2 where none was compared."""
    from ..checking.check import check

    subjects = [one for one in (options.model, options.config) if one is not None]
    with files.Reports(options, "check", subjects) as written:
        found = check(options.model, options.config, model_type=options.model_type)
        written.of_check(found)
    if options.json:
        screen.as_json(found.to_json())
    else:
        print("\n".join(screen.paragraph(line, 0, 2) for line in found.lines()))
    return found.status
