//! Commands that are told of the end.

use super::*;

fn notify(command: &str, input: &str) -> Result<(), String> {
    run(command, input, LIMIT, |line| panic!("{line}"))
}

#[test]
fn b3_a_command_is_told_on_its_standard_input_and_its_failure_is_told_back() {
    assert_eq!(notify("read line && test \"$line\" = '3 done'", "3 done\n"), Ok(()));
    assert_eq!(notify("true", &"long ".repeat(1 << 20)), Ok(()));
    let failed = notify("exit 3", "").unwrap_err();
    assert_eq!(failed, "the command failed (exit status: 3)");
}

#[test]
fn b3_a_command_that_does_not_end_is_told_of_and_left_to_itself() {
    let (mut told, limit) = (String::new(), Duration::from_secs(3));
    let input = "long ".repeat(1 << 20);
    let ended = run("exec sleep 8", &input, limit, |line| told = line.to_owned());
    assert_eq!(told, "waiting for the --notify command, for at most 3s");
    let error = "the command still runs after 3s and is left to itself";
    assert_eq!(ended.unwrap_err(), error);
}
