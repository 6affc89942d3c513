"""The workflows and forms below .github: they parse, run the README's commands, and have the Pythons of the package."""

import json
import re
import subprocess
import sys
from pathlib import Path

import matrix
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
GITHUB, CI = ROOT / ".github", ROOT / ".ci" / "run"
#: the versions of actions that were looked up in their repositories
ACTIONS = {
    "actions/checkout": "v7.0.1",
    "actions/setup-python": "v7.0.0",
    "actions/upload-artifact": "v7.0.0",
    "actions/download-artifact": "v8.0.1",
    "pypa/cibuildwheel": "v4.2.0",
    "pypa/gh-action-pypi-publish": "v1.14.2",
}
#: which steps run which block of the README, by workflow
BLOCKS = {
    "tests.yml": ["install", "test"],
    "checks.yml": ["test", "rest"],
    "lint.yml": [],
    "release.yml": [],
}
#: commands of the workflows that no page tells people to run
OWN = {
    'pip install "$NUMPY"',
    "pip install -v . 2>&1 | tee said",
    "python -c \"import refpos; refpos.show_config()\" | tee /dev/stderr | grep -x 'kernels  numpy'",
}


def commands(text):
    """The lines of a script."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def faults_of_job(workflow, name, job):
    """One sentence for each thing that a job lacks or may not have."""
    allowed = {"id-token": "write"} if name == "publish" else {"contents": "read"}
    if job.get("permissions") != allowed:
        yield f"{workflow} {name} must have the permissions {allowed}, got {job.get('permissions')}"
    if not 0 < job.get("timeout-minutes", 0) <= 180:
        yield f"{workflow} {name} must have timeout-minutes of at most 180"
    for step in job["steps"]:
        action, _, version = step.get("uses", "").partition("@")
        if action and ACTIONS.get(action) != version:
            yield f"{workflow} {name} must use {action} in the version of ACTIONS, got {version}"
        if action == "actions/checkout" and step.get("with", {}).get("persist-credentials") is not False:
            yield f"{workflow} {name} must check out with persist-credentials: false"
        # what somebody else can choose, a branch or a title, is text and never code
        if re.search(r"\$\{\{", step.get("run", "")):
            yield f"{workflow} {name} must hand values to scripts by env, got ${{{{ in a script"


def faults_of_workflow(name, workflow):
    """The same of a whole workflow."""
    if workflow.get("permissions") != {}:
        yield f"{name} must begin without permissions, got {workflow.get('permissions')}"
    for job, content in workflow["jobs"].items():
        yield from faults_of_job(name, job, content)


if GITHUB.exists():  # a source distribution does not have it
    WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in sorted(GITHUB.glob("workflows/*"))}
    FORMS = {path.name: yaml.safe_load(path.read_text()) for path in sorted(GITHUB.glob("ISSUE_TEMPLATE/*"))}

    def steps(name):
        return [step for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"]]

    def test_every_workflow_is_known():
        assert set(WORKFLOWS) == set(BLOCKS)
        assert all(workflow["name"] == name.removesuffix(".yml") for name, workflow in WORKFLOWS.items())
        # YAML reads the key `on` as true
        assert WORKFLOWS["release.yml"][True].keys() == {"push", "workflow_dispatch"}
        assert all({"push", "pull_request"} == WORKFLOWS[name][True].keys() for name in BLOCKS if name != "release.yml")

    @pytest.mark.parametrize("name", BLOCKS)
    def test_jobs_may_do_little_and_use_known_versions(name):
        assert list(faults_of_workflow(name, WORKFLOWS[name])) == []

    def test_every_action_is_used():
        used = {step["uses"].partition("@")[0] for name in WORKFLOWS for step in steps(name) if "uses" in step}
        assert used == set(ACTIONS)

    # -- commands -----------------------------------------------------------------------------------------------------

    def of_readme(block):
        """The commands of a block of the README, as .ci/run reads them."""
        (function,) = re.findall(r"^readme\(\) \{.*?^\}$", CI.read_text(), re.MULTILINE | re.DOTALL)
        script = f"set -euo pipefail\n{function}\nreadme {block}"
        done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
        return commands(done.stdout)

    @pytest.mark.parametrize("name", BLOCKS)
    def test_the_steps_that_are_named_so_run_the_blocks_of_the_readme(name):
        named = [(step["name"].removeprefix("README: "), step["run"]) for step in steps(name) if "name" in step]
        named = [(block, script) for block, script in named if block in ("install", "test", "rest")]
        assert [block for block, _ in named] == BLOCKS[name]
        for block, script in named:
            assert commands(script) == of_readme(block) != []

    def test_people_are_told_every_other_command():
        pages = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in ("contributing", "releasing"))]
        told = "\n".join(page.read_text() for page in pages)
        for name in WORKFLOWS:
            for line in (line for step in steps(name) for line in commands(step.get("run", ""))):
                if re.match(r"(pip|pytest|refpos|ruff|python) ", line) and line not in OWN:
                    assert line.partition(" --tag")[0] in told, f"{name}: no page has the command {line}"

    def test_the_tests_of_a_job_are_counted():
        runs = [job for name in WORKFLOWS for job in WORKFLOWS[name]["jobs"].values() if "pytest" in str(job)]
        assert len(runs) == 3 and all("REFPOS_REQUIRE_TIERS" in str(job) for job in runs)

    # -- Pythons ------------------------------------------------------------------------------------------------------

    def pythons():
        return [row["python"] for row in matrix.read()["pythons"]]

    def test_the_pythons_are_those_of_the_metadata():
        listed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text())
        assert pythons() == listed and len(listed) > 3

    def test_the_job_runs_each_python_and_each_system():
        data = matrix.read()
        rows = matrix.rows(data)
        assert {row["python"] for row in rows if row["required"]} == {*pythons()}
        assert {row["system"] for row in rows} == {row["system"] for row in data["systems"]}
        assert all(row.keys() == {"python", "numpy", "system", "required"} for row in rows)
        job = WORKFLOWS["tests.yml"]["jobs"]["tests"]
        assert job["strategy"]["matrix"] == {"include": "${{ fromJSON(needs.matrix.outputs.tests) }}"}
        assert 'python3 tests/matrix.py tests)" >> "$GITHUB_OUTPUT"' in str(WORKFLOWS["tests.yml"]["jobs"]["matrix"])
        done = subprocess.run([sys.executable, "tests/matrix.py", "tests"], cwd=ROOT, capture_output=True, text=True)
        assert json.loads(done.stdout) == rows and "\n" not in done.stdout.strip()

    def test_numpy_is_tried_in_the_oldest_version_that_the_package_takes():
        metadata = (ROOT / "pyproject.toml").read_text()
        (oldest,) = re.findall(r'^dependencies = \["numpy>=([\d.]+)"\]', metadata, re.MULTILINE)
        first = matrix.read()["pythons"][0]
        assert first["numpy"].startswith(f"numpy=={oldest}.") and first["gate"] == "built"

    def test_the_gate_reads_the_same_pythons():
        script = CI.read_text()
        loop = re.compile(r"^(\w+)=\$\(python3 tests/matrix\.py (\w+)\)\nfor pair in \$(\w+); do$", re.MULTILINE)
        assert [(gate, name == looped) for name, gate, looped in loop.findall(script)] == [
            ("built", True),
            ("wheel", True),
        ]
        assert re.findall(r"\b3\.1\d\b", script) == [], ".ci/run must have no version of its own"
        done = [subprocess.run([sys.executable, "tests/matrix.py", gate], cwd=ROOT, capture_output=True, text=True)
                for gate in matrix.GATES]  # fmt: skip
        found = [line.partition(":")[0] for each in done for line in each.stdout.split()]
        assert sorted(found) == sorted(pythons())

    def test_what_nobody_has_is_refused():
        done = subprocess.run([sys.executable, "tests/matrix.py", "all-of-it"], cwd=ROOT, capture_output=True)
        assert done.returncode == 2

    def test_a_wheel_is_built_or_tried_for_each_python():
        (step,) = [step for step in steps("release.yml") if "cibuildwheel" in step.get("uses", "")]
        built = [f"cp{python.replace('.', '')}-*" for python in pythons()]
        assert step["env"]["CIBW_BUILD"].split() == built
        assert step["env"]["CIBW_ENVIRONMENT"] == "REFPOS_REQUIRE_KERNELS=1"
        jobs = WORKFLOWS["release.yml"]["jobs"]
        assert jobs["wheels"]["needs"] == "check" and jobs["publish"]["needs"] == "wheels"
        assert jobs["publish"]["if"] == "github.event_name == 'push'" and jobs["publish"]["environment"]

    # -- forms --------------------------------------------------------------------------------------------------------

    def test_every_form_can_be_filled_in():
        forms = {name: form for name, form in FORMS.items() if name != "config.yml"}
        assert set(forms) == {"wrong-number.yml", "wrong-configuration.yml", "missing-encoding.yml"}
        for form in forms.values():
            assert form["name"] and form["description"] and form["labels"]
            fields = [field for field in form["body"] if field["type"] != "markdown"]
            assert {field["type"] for field in fields} <= {"input", "textarea", "dropdown", "checkboxes"}
            assert len({field["id"] for field in fields}) == len(fields) > 3
            assert all(field["attributes"]["label"] for field in fields)
            assert sum(field.get("validations", {}).get("required", False) for field in fields) >= 3
        assert FORMS["config.yml"].keys() == {"blank_issues_enabled", "contact_links"}

    def test_the_form_for_a_wrong_number_asks_what_the_page_asks():
        page = (ROOT / "docs" / "contributing.md").read_text().partition("## Report a wrong number")[2]
        page, asked = " ".join(page.split()), str(FORMS["wrong-number.yml"]["body"]).replace("With", "with")
        for words in ("with all its arguments", "bit pattern", "evaluated with more digits", "refpos.show_config()"):
            assert words in page and words in asked

    def test_dependabot_looks_after_the_actions():
        (update,) = yaml.safe_load((GITHUB / "dependabot.yml").read_text())["updates"]
        assert update["package-ecosystem"] == "github-actions"

    def test_the_links_of_the_pages_lead_somewhere():
        links = [(page, target) for page in GITHUB.glob("*.md")
                 for target in re.findall(r"\]\(([^)]+)\)", page.read_text())]  # fmt: skip
        assert links and all((page.parent / target).is_file() for page, target in links)


def test_faults_of_a_workflow_are_named():
    step = {"uses": "actions/checkout@main"}
    job = {"permissions": {"contents": "write"}, "steps": [step, {"run": "echo ${{ github.head_ref }}"}]}
    found = list(faults_of_workflow("bad.yml", {"permissions": {"contents": "read"}, "jobs": {"one": job}}))
    words = ("without permissions", "have the permissions", "timeout", "ACTIONS, got main", "persist-cred", "by env")
    assert len(found) == len(words) and all(word in sentence for word, sentence in zip(words, found, strict=True))
    good = {"uses": "actions/checkout@v7.0.1", "with": {"persist-credentials": False}}
    job = {"permissions": {"contents": "read"}, "timeout-minutes": 5, "steps": [good, {"run": 'echo "$REF"'}]}
    assert list(faults_of_workflow("good.yml", {"permissions": {}, "jobs": {"one": job}})) == []
