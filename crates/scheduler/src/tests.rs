//! Simulated runs that must go well.

mod simulation;

use std::time::Duration;

use self::simulation::{Dice, Machine, Night, Stage};
use super::{Moment, Scheduler, Timing};

const ONE: Machine = Machine { fits: 1, load: 30.0, slowness: 1.0 };

/// Rounds of two statements, the clerk's notes and three ballots; which models make them depends on the debate.
fn knockout(debate: usize, models: usize, dice: &mut Dice) -> Vec<Stage> {
    let model = |part: usize| (debate + part) % models;
    let mut call = |part: usize, mean: f64| (model(part), mean * dice.between(0.5, 1.5));
    let mut stages = Vec::new();
    for _ in 0..3 {
        stages.push(vec![call(0, 6.0)]);
        stages.push(vec![call(1, 6.0)]);
        stages.push(vec![call(0, 3.0)]);
        stages.push(vec![call(1, 3.0), call(2, 3.0), call(2, 3.0)]);
    }
    stages
}

/// Six rounds of two statements, three ballots and the clerk's notes. Every other member of the team is on the other model.
fn two_models(debate: usize, dice: &mut Dice) -> Vec<Stage> {
    let mut call = |part: usize, mean: f64| ((debate + part) % 2, mean * dice.between(0.5, 1.5));
    let mut stages = Vec::new();
    for round in 0..6 {
        let speaker = usize::from(round % 4 > 1);
        stages.push(vec![call(0, 4.5)]);
        stages.push(vec![call(speaker, 4.5)]);
        stages.push(vec![call(0, 1.9), call(1, 1.9), call(1 - speaker, 1.9)]);
        stages.push(vec![call(0, 2.2)]);
    }
    stages
}

fn night(machines: Vec<Machine>, models: usize, debates: usize, seed: u64) -> Night {
    let mut dice = Dice(seed);
    Night {
        machines,
        slots: 4,
        concurrency: (4, 4),
        debates: (0..debates).map(|n| knockout(n, models, &mut dice)).collect(),
        reading: 0.5,
        seed,
        failing: 0.0,
    }
}

#[test]
fn b1_one_model_keeps_the_slots_busy_and_their_prompts() {
    for seed in 1..=5 {
        let outcome = night(vec![ONE], 1, 40, seed).run();
        assert_eq!(outcome.loads, 1);
        let time = outcome.last_begun - ONE.load;
        // Calls in flight when the last debate began count in full.
        let busy = outcome.busy_until_then / (4.0 * time);
        assert!(busy >= 0.97, "{busy}");
        // Only the last four debates have slots to spare.
        assert!(outcome.reread <= 0.2 * outcome.read, "{outcome:?}");
    }
}

#[test]
fn b1_calls_at_a_time_come_to_what_the_server_runs() {
    for concurrency in [(4, 32), (8, 8), (1, 32)] {
        for seed in 1..=2 {
            let night = night(vec![ONE], 1, 80, seed);
            let wide = Night { slots: 6, concurrency, ..night };
            let outcome = wide.run();
            let bound = ONE.load + outcome.least_work / 6.0;
            assert!(outcome.time <= 1.15 * bound, "{concurrency:?}: {outcome:?} {bound}");
            assert!(outcome.reread <= 0.55 * outcome.read, "{concurrency:?}: {outcome:?}");
        }
    }
}

#[test]
fn b1_models_that_do_not_fit_take_turns() {
    for seed in 1..=3 {
        let machine = Machine { load: 600.0, ..ONE };
        let outcome = night(vec![machine], 3, 100, seed).run();
        let bound = outcome.loads as f64 * machine.load + outcome.work / 4.0;
        // Two of the loads are needed to see that the models do not fit together.
        assert!(outcome.loads <= 22, "{outcome:?}");
        assert!(outcome.time <= 1.05 * bound, "{outcome:?} {bound}");
        assert_eq!(outcome.open, 100);
    }
}

/// A slot kept for a debate that has since called another model would stay idle for the length of a call.
#[test]
fn b1_short_calls_to_models_that_take_turns_keep_the_slots_busy() {
    let machine = Machine { load: 12.0, ..ONE };
    let mut night = night(vec![machine], 3, 100, 1);
    let calls = night.debates.iter_mut().flatten().flatten();
    calls.for_each(|(_, reply)| *reply /= 50.0);
    night.reading /= 50.0;
    let outcome = night.run();
    let bound = outcome.loads as f64 * machine.load + outcome.work / 4.0;
    assert!(outcome.time <= 1.04 * bound, "{outcome:?} {bound}");
}

#[test]
fn b1_models_that_fit_are_loaded_once() {
    for seed in 1..=5 {
        let machine = Machine { fits: 2, ..ONE };
        let outcome = night(vec![machine], 2, 40, seed).run();
        assert_eq!(outcome.loads, 2, "{outcome:?}");
        let bound = 2.0 * machine.load + outcome.work / 4.0;
        assert!(outcome.time <= 1.1 * bound, "{outcome:?} {bound}");
    }
}

#[test]
fn b1_servers_of_different_speed_share_the_work() {
    const SEEDS: u64 = 20;
    let mut mean = 0.0;
    for seed in 1..=SEEDS {
        let machine = |slowness| Machine { fits: 2, slowness, ..ONE };
        let machines = vec![machine(1.0), machine(2.0), machine(3.0)];
        let outcome = night(machines, 2, 60, seed).run();
        // All slots together are as fast as 4 × (1 + 1/2 + 1/3) slots of the first server.
        let least = outcome.least_work / (4.0 * (1.0 + 0.5 + 1.0 / 3.0)) + ONE.load;
        let ratio = outcome.time / least;
        assert!(ratio <= 1.2, "{seed}: {ratio} {outcome:?}");
        mean += ratio / SEEDS as f64;
    }
    assert!(mean <= 1.15, "{mean}");
}

/// The setup of `benches/night/two_fit.py`.
#[test]
fn b1_models_with_slots_of_their_own_share_servers_of_different_speed() {
    const SEEDS: u64 = 5;
    let mut mean = 0.0;
    for seed in 1..=SEEDS {
        let machine = |slowness| Machine { fits: 2, slowness, load: 100.0 };
        let machines = vec![machine(0.5), machine(1.0), machine(2.0)];
        let mut dice = Dice(seed);
        let outcome = Night {
            concurrency: (8, 8),
            reading: 0.18,
            debates: (0..100).map(|n| two_models(n, &mut dice)).collect(),
            ..night(machines, 2, 0, seed)
        }
        .run();
        // Each server has one of its models after 100 seconds, and both after 200.
        let least = outcome.least_work / (8.0 * (2.0 + 1.0 + 0.5)) + 150.0;
        let ratio = outcome.time / least;
        mean += ratio / SEEDS as f64;
    }
    // Twice as many prompts as slots take turns, so a fifth of the work is reading prompts again.
    assert!(mean <= 1.26, "{mean}");
}

#[test]
fn b1_no_call_waits_for_ever_behind_a_busy_model() {
    let mut debates = vec![vec![vec![(1, 5.0)]; 3]];
    debates.extend((0..400).map(|_| vec![vec![(0, 20.0)]; 3]));
    let night = Night {
        machines: vec![ONE],
        slots: 4,
        concurrency: (4, 4),
        debates,
        reading: 0.1,
        seed: 1,
        failing: 0.0,
    };
    let outcome = night.run();
    assert!(outcome.longest_wait[&1] < 1500.0, "{outcome:?}");
}

#[test]
fn b1_a_model_that_is_hardly_called_has_its_turn_between_two_that_are() {
    let mut debates = vec![vec![vec![(2, 5.0)]; 2]];
    debates.extend((0..300).map(|n| (0..8).map(|stage| vec![((n + stage) % 2, 20.0)]).collect()));
    let outcome = Night { debates, ..night(vec![ONE], 1, 0, 1) }.run();
    let limit = 40.0 * ONE.load;
    assert!(outcome.longest_wait[&2] < 1.3 * limit, "{outcome:?}");
}

/// Runs of all kinds end with every call made once, which `Night::run` checks.
#[test]
fn b1_every_night_ends() {
    for seed in 1..=1000 {
        let mut dice = Dice(seed);
        let mut upto = |most: f64| dice.between(1.0, most + 1.0) as usize;
        let (machines, models, debates) = (upto(3.0), upto(4.0), upto(30.0));
        let machines = (0..machines)
            .map(|_| Machine {
                fits: upto(3.0),
                load: upto(60.0) as f64,
                slowness: upto(3.0) as f64,
            })
            .collect();
        let (slots, first) = (upto(6.0), upto(6.0));
        let outcome = Night {
            slots,
            concurrency: (first, first + upto(4.0)),
            failing: 0.1 * (upto(3.0) - 1) as f64,
            ..night(machines, models, debates, seed)
        };
        outcome.run();
    }
}

#[test]
fn m3a_a_model_is_loaded_again_once_its_calls_have_ended_and_others_go_on() {
    let mut scheduler = Scheduler::new(1, (4, 4));
    let second = Duration::from_secs(1);
    let [one, two] = [(); 2].map(|()| scheduler.debates.join(Moment::ZERO));
    let ask = |scheduler: &mut Scheduler, debate, model: &str, now| {
        scheduler.called(debate, now);
        scheduler.ask(debate, model, vec![0], now)
    };
    ask(&mut scheduler, one, "a", Moment::ZERO);
    let first = scheduler.decide(Moment::ZERO).remove(0);
    assert!(first.loads);
    scheduler.reload("a");
    ask(&mut scheduler, two, "a", second);
    assert_eq!(scheduler.decide(second), []);
    scheduler.ended(first.ticket, Timing::default(), 2 * second);
    scheduler.debates.answered(one, 2 * second);
    let again = scheduler.decide(2 * second);
    assert_eq!(again.len(), 1);
    assert!(again[0].loads);
    ask(&mut scheduler, one, "a", 3 * second);
    let beside = scheduler.decide(3 * second);
    assert_eq!((beside.len(), beside[0].loads), (1, false));
}

/// A batch that has more debates and does not begin them.
#[test]
fn b1_no_call_waits_for_ever_for_debates_that_do_not_come() {
    let mut scheduler = Scheduler::new(1, (2, 2));
    let debate = scheduler.debates.join(Moment::ZERO);
    scheduler.set_batch(1, true);
    assert_eq!(calls(&mut scheduler, debate, "a", 0), [true]);
    reply(&mut scheduler, debate, 1, 1);
    let mut now = Duration::from_secs(2);
    assert!(calls(&mut scheduler, debate, "b", 2).is_empty(), "more debates could use a");
    while scheduler.decide(now).is_empty() {
        now = scheduler.look_again(now).expect("a time to decide again");
    }
    assert!(now < Duration::from_secs(1000), "{now:?}");
}

fn calls(scheduler: &mut Scheduler, debate: u64, model: &str, second: u64) -> Vec<bool> {
    let now = Duration::from_secs(second);
    scheduler.called(debate, now);
    scheduler.ask(debate, model, vec![0], now);
    let starts = scheduler.decide(now);
    starts.iter().map(|start| start.loads).collect()
}

#[test]
fn m3a_a_model_that_takes_more_memory_is_loaded_once_its_server_is_idle() {
    let mut scheduler = Scheduler::new(1, (8, 8));
    let [one, two, three] = [(); 3].map(|()| scheduler.debates.join(Moment::ZERO));
    assert_eq!(calls(&mut scheduler, one, "a", 0), [true]);
    scheduler.ended(1, Timing::default(), Duration::from_secs(1));
    scheduler.debates.answered(one, Duration::from_secs(1));
    assert_eq!(calls(&mut scheduler, one, "b", 10), [true]);
    scheduler.holds(0, &["a".into(), "b".into()]);
    assert_eq!(calls(&mut scheduler, two, "a", 11), [false]);
    scheduler.reload("a");
    let is_held = |starts: Vec<bool>| starts.is_empty();
    assert!(is_held(calls(&mut scheduler, three, "a", 12)), "a is at work");
    assert!(is_held(calls(&mut scheduler, two, "b", 13)), "b gives way");
    scheduler.ended(2, Timing::default(), Duration::from_secs(14));
    scheduler.ended(3, Timing::default(), Duration::from_secs(14));
    let starts = scheduler.decide(Duration::from_secs(14));
    let loads: Vec<bool> = starts.iter().map(|start| start.loads).collect();
    assert_eq!(loads, [true], "who knows whether both still fit");
}

#[test]
fn b1_a_load_that_failed_says_nothing_of_what_fits() {
    let mut scheduler = Scheduler::new(1, (2, 2));
    let debate = scheduler.debates.join(Moment::ZERO);
    assert_eq!(calls(&mut scheduler, debate, "a", 0), [true]);
    scheduler.withdraw(debate, 1, Duration::from_secs(1));
    scheduler.debates.answered(debate, Duration::from_secs(1));
    assert_eq!(calls(&mut scheduler, debate, "b", 30), [true], "nothing is there");
}

#[test]
fn b1_a_model_that_is_being_loaded_takes_no_place_of_one_that_is_there() {
    let mut scheduler = Scheduler::new(1, (2, 2));
    let [one, two, three, four] = [(); 4].map(|()| scheduler.debates.join(Moment::ZERO));
    assert_eq!(calls(&mut scheduler, one, "a", 0), [true]);
    reply(&mut scheduler, one, 1, 1);
    assert_eq!(calls(&mut scheduler, two, "b", 10), [true]);
    assert!(calls(&mut scheduler, three, "b", 11).is_empty(), "it waits for the load");
    scheduler.holds(0, &["a".into()]);
    assert_eq!(calls(&mut scheduler, four, "a", 13), [false]);
    reply(&mut scheduler, two, 2, 30);
    let starts = scheduler.decide(Duration::from_secs(32));
    let tickets: Vec<u64> = starts.iter().map(|start| start.ticket).collect();
    assert_eq!(tickets, [3], "b is there now");
}

fn reply(scheduler: &mut Scheduler, debate: u64, ticket: u64, second: u64) {
    let now = Duration::from_secs(second);
    scheduler.ended(ticket, Timing::default(), now);
    scheduler.debates.answered(debate, now);
}

/// The debate whose call to `a` is next when a place becomes free: the older one has called `a` before, the younger one the
/// given model, if any.
fn next_of_two(younger_called: Option<&str>, has_more: bool) -> u64 {
    let mut scheduler = Scheduler::new(1, (2, 2));
    let [older, younger, third, fourth] = [(); 4].map(|()| scheduler.debates.join(Moment::ZERO));
    let before = [(older, Some("a")), (younger, younger_called)];
    for (debate, model) in before {
        let Some(model) = model else { continue };
        assert_eq!(calls(&mut scheduler, debate, model, 20 * debate).len(), 1);
        reply(&mut scheduler, debate, debate, 20 * debate + 5);
    }
    scheduler.holds(0, &["a".into(), "b".into()]);
    let asks = [third, fourth, older, younger].map(|debate| (debate, debate < third));
    for (debate, waits) in asks {
        let starts = calls(&mut scheduler, debate, "a", 60);
        assert_eq!(starts.is_empty(), waits);
    }
    let ticket = 1 + before.iter().filter(|(_, model)| model.is_some()).count() as u64;
    reply(&mut scheduler, third, ticket, 70);
    scheduler.debates.leave(third);
    scheduler.set_batch(3, has_more);
    scheduler.decide(Duration::from_secs(72))[0].debate
}

#[test]
fn b1_the_oldest_debate_goes_first() {
    assert_eq!(next_of_two(Some("a"), true), 1);
    assert_eq!(next_of_two(None, true), 1);
}

#[test]
fn b1_a_debate_that_calls_a_model_with_idle_slots_goes_before_older_ones() {
    assert_eq!(next_of_two(Some("b"), true), 2);
}

#[test]
fn b1_of_the_last_debates_the_one_that_made_fewest_calls_goes_first() {
    assert_eq!(next_of_two(None, false), 2);
}
