//! Row S3 and S4: what is planted in corpora is found, and nothing else, by the shipped statistics. A few seeds of each trial here;
//! `cargo bench --bench verdicts -- 1..1000` prints the rates of many.

mod alone;
mod controls;
mod labels;
mod panels;
mod world;

use rebut::event::Vote;
use rebut::facts::labels::DrawnFrom;
use rebut::facts::{AudienceFacts, AudienceRound, Facts};
use rebut::stats::findings::{Asked, Findings, Rated, Trait};
use world::{Must, TRIALS, Trial, World};

/// What a trial finds with the first seeds: how often, and of how many.
fn of_seeds(trial: &Trial, seeds: u64) -> [usize; 2] {
    let said: Vec<bool> = (1..=seeds).filter_map(trial.found).collect();
    [said.iter().filter(|found| **found).count(), said.len()]
}

/// Plays the trials that have this in their names. By chance, one that is right within its bound fails once in a thousand.
fn play(words: &str, seeds: u64) {
    let chosen: Vec<&Trial> = TRIALS
        .iter()
        .chain(&controls::TRIALS)
        .chain(&alone::TRIALS)
        .chain(&panels::TRIALS)
        .chain(&labels::TRIALS)
        .filter(|t| t.name.contains(words))
        .collect();
    assert!(!chosen.is_empty(), "{words}");
    for trial in chosen {
        let [found, all] = of_seeds(trial, seeds);
        let (found, all) = (found as f64, all as f64);
        let within = |share: f64| 3.1 * (share * (1.0 - share) / all).sqrt() + 0.5 / all;
        let holds = match trial.must {
            Must::AtMost(most) => found / all <= most + within(most),
            Must::AtLeast(least) => found / all >= least - within(least),
            Must::Between(least, most) => {
                (least - within(least)..=most + within(most)).contains(&(found / all))
            }
        };
        assert!(holds, "{found} of {all}: {}", trial.name);
    }
}

#[test]
fn s3_equal_models_get_no_false_sentence() {
    play("any false sentence", 8);
}

#[test]
fn s3_equal_models_get_no_verdict_from_seats_personas_or_judges() {
    play("any verdict", 8);
}

#[test]
fn s3_a_better_opponent_does_not_tell_equal_models_apart() {
    play("the equal two are told apart", 8);
}

#[test]
fn s4_a_better_family_is_no_preference_for_it() {
    play("any false caution", 12);
}

#[test]
fn s3_what_is_detectable_is_found_after_the_correction() {
    play("what is detectable", 30);
}

#[test]
fn s3_a_better_model_leads_and_the_verdict_agrees_with_the_ranks() {
    play("better by 1.0", 8);
    play("rank and verdict agree", 20);
}

#[test]
fn s4_preferences_of_judges_are_told_one_by_one() {
    play("opposite preferences", 8);
    play("to the first read, in both orders", 8);
    play("favours its family", 8);
}

#[test]
fn s4_a_better_model_that_writes_longer_makes_no_preference_for_length() {
    play("length counts for nothing", 12);
}

#[test]
fn s4_length_is_told_and_taken_out_of_strengths() {
    play("twice the length: told", 8);
    play("its lead at equal length", 20);
    play("its score at equal length", 20);
}

/// Debates of equal models, judged by others, to whom a text e times as long is worth so much.
fn debates(length: f64) -> Vec<Facts> {
    let mut world = World::default();
    world.length = length;
    world.debates(1)
}

#[test]
fn s4_that_shorter_texts_won_is_told_as_that() {
    let cautions = world::found(debates(-1.3)).cautions;
    let told = "Shorter texts won more often here: at twice the length, the expected score between equals is 0.";
    assert!(cautions.iter().any(|it| it.starts_with(told)), "{cautions:?}");
    assert!(!cautions.iter().any(|it| it.starts_with("Longer")));
}

/// What the design check says on a question.
fn design(found: &Findings, asked: Asked) -> (Option<bool>, &str) {
    let mut all = found.design.iter();
    let check = all.find(|it| it.asked == asked).expect("it is asked");
    (check.holds, &check.sentence)
}

#[test]
fn s3_judges_of_the_family_of_one_debater_compare_nothing() {
    let strangers = world::found(debates(0.0));
    let families = world::found(world::families(0.0).debates(1));
    assert_eq!(
        design(&strangers, Asked::IndependentJudges),
        (Some(true), "Judges: unrelated to the debaters, as far as is known, in 1 pair of models.")
    );
    let told = "Judges: one on a debater's own model, or of the family of one of the two only, in 2 of 3 pairs of models.";
    assert_eq!(design(&families, Asked::IndependentJudges), (Some(false), told));
    // The other two are compared.
    let board = &families.leaderboards.strengths[0];
    let names: Vec<&str> = board.rows.iter().map(|row| &*row.name).collect();
    assert!(names.len() == 2 && !names.contains(&"gemma-9"), "{names:?}");
    assert!(board.confounded.iter().all(|it| it.by == Trait::RelatedJudges));
    let compared = families.comparisons[0].pairs.iter().filter(|pair| pair.found.p.is_some());
    assert_eq!(compared.count(), 1);
}

#[test]
fn s3_a_judge_of_one_debaters_family_is_said_to_be_in_the_way() {
    let mut debates = debates(0.0);
    for facts in &mut debates {
        facts.ancestors = [("phi-4".into(), "llama-8".into())].into();
    }
    let found = world::found(debates);
    let told = "No model is shown to be stronger: llama-8 and mistral-7 had a judge of the family of one of them only in 80 debates. Remedy: judges of other families";
    assert!(found.headlines[0].starts_with(told), "{:?}", found.headlines);
    assert!(!found.headlines.iter().any(|it| it.contains(" scores ")));
}

#[test]
fn s3_a_judge_of_the_family_of_both_debaters_compares_them() {
    let mut debates = debates(0.0);
    for facts in &mut debates {
        let both = ["llama-8", "mistral-7"].map(|of| ("phi-4".into(), of.into()));
        facts.ancestors = both.into();
    }
    let found = world::found(debates);
    let told = "Judges: no debater's own model, but one of the family or lineage of both debaters in 1 of 1 pair of models.";
    assert_eq!(design(&found, Asked::IndependentJudges), (Some(false), told));
    assert_eq!(found.leaderboards.strengths[0].rows.len(), 2);
}

/// Puts the position of each contestant in the place of its persona.
fn with_positions(mut debates: Vec<Facts>, of: impl Fn(usize, &str) -> &'static str) -> Vec<Facts> {
    for facts in &mut debates {
        for (seat, person) in facts.people.iter_mut().enumerate() {
            let persona = person.persona.take().expect("a persona");
            person.position = of(seat, &persona).into();
        }
    }
    debates
}

/// Whoever speaks first always argues yes, and that is all that counts.
#[test]
fn s3_a_position_is_not_taken_for_the_effect_of_speaking_first() {
    let of_seat = |seat: usize, _: &str| ["yes", "no"][seat];
    let found = world::found(with_positions(world::in_turn(1.2, 0.0).debates(1), of_seat));
    let told =
        "Between equals, the first speaker, who always argued “yes”, has an expected score of 0.";
    let told = |it: &&String| {
        it.starts_with(told) && it.ends_with("this is the combined effect of all that.")
    };
    let cautions = &found.cautions;
    assert!(cautions.iter().any(|it| told(&it)), "{cautions:?}");
    // It is told once.
    assert!(!cautions.iter().any(|it| it.starts_with("“yes” won")));
    let board = &found.leaderboards.strengths[0];
    assert_eq!(board.first_speakers.len(), 1);
    assert_eq!(board.positions[0].position, "yes");
}

#[test]
fn s3_a_position_that_wins_is_told_and_an_even_one_is_not() {
    let of_persona = |_: usize, persona: &str| match persona {
        "scientist" => "no",
        _ => "yes",
    };
    let found =
        |worth| world::found(with_positions(world::in_turn(0.0, worth).debates(1), of_persona));
    let lopsided = found(1.5);
    let won = |it: &String| it.starts_with("“no” won ") && it.contains("of debates against “yes”");
    assert!(lopsided.cautions.iter().any(won), "{:?}", lopsided.cautions);
    let board = &lopsided.leaderboards.strengths[0];
    assert_eq!(board.positions.len(), 1);
    assert!(board.positions[0].won.low > Some(0.6), "{:?}", board.positions);
    // Speaking first went with neither.
    assert!(board.first_speakers.is_empty(), "{:?}", board.first_speakers);
    let even = found(0.0);
    assert_eq!(even.leaderboards.strengths[0].positions.len(), 1);
    assert!(!even.cautions.iter().any(|it| it.contains(" of debates against ")));
}

#[test]
fn s4_a_difference_in_scores_is_told_at_equal_length_where_lengths_differ() {
    let found = world::found(world::wordy().debates(1));
    let told =
        found.headlines.iter().find(|it| it.contains("llama-8 scores ")).expect("a difference");
    let has = |words: &str| told.contains(words);
    assert!(has("; at equal length ") && has("'s texts are 2."), "{told}");
    let pair = &found.comparisons[0].pairs[0];
    let left = &pair.at_equal_length.as_ref().expect("lengths").difference;
    assert!(left.low < Some(0.0) && left.high > Some(0.0), "{left:?}");
}

/// Judges who agree on how good debates are, and toss coins on who is better.
#[test]
fn s4_judges_that_agree_on_debates_but_not_on_sides_are_told() {
    let told = "Judges of duel debates agree too little on who is better even for tentative conclusions, and are not shown to agree beyond chance: Krippendorff's alpha is 0.";
    let levels = world::found(world::levels(1.5, 0.0).debates(1));
    let alphas = &levels.judges.agreement;
    let total = alphas.iter().find(|row| row.what == Rated::Total);
    assert!(total.is_some_and(|row| row.agreement.low > Some(0.667)), "{total:?}");
    let has = |cautions: &[String]| cautions.iter().any(|it| it.starts_with(told));
    assert!(has(&levels.cautions), "{:?}", levels.cautions);
    let sides = world::found(debates(0.0));
    assert!(!sides.cautions.iter().any(|it| it.contains("agree too little")));
}

#[test]
fn s3_a_judge_made_from_a_debaters_model_is_not_independent() {
    let mut debates = debates(0.0);
    for facts in &mut debates {
        facts.ancestors = [("phi-4".into(), "llama-8".into())].into();
    }
    let found = world::found(debates);
    assert_eq!(design(&found, Asked::IndependentJudges).0, Some(false));
}

#[test]
fn s3_what_a_judge_was_made_from_counts_if_any_debate_tells_it() {
    let mut debates = debates(0.0);
    let last = debates.last_mut().expect("a debate");
    last.ancestors = [("phi-4".into(), "llama-8".into())].into();
    let found = world::found(debates);
    assert_eq!(design(&found, Asked::IndependentJudges).0, Some(false));
}

#[test]
fn s3_the_design_check_counts_the_topics_of_what_is_compared() {
    let mut debates = debates(0.0);
    debates.extend((40..80).map(|topic| world::blank("dialectic", 1000 + topic, topic)));
    let found = world::found(debates);
    assert_eq!(found.counts.topics, 80);
    let told = "Topics of compared debates: 40, with 2 debates each.";
    assert_eq!(design(&found, Asked::Topics), (Some(true), told));
}

#[test]
fn s3_where_models_are_ranked_topics_of_a_format_without_winners_do_not_count() {
    let ranked = debates(0.0);
    let scored = ranked.iter().take(20).zip(0..).map(|(facts, n)| {
        let blank = world::blank("moderated", 1000 + n, 40 + n / 2);
        let mut facts = facts.clone();
        (facts.id, facts.topic, facts.format) = (blank.id, blank.topic, blank.format);
        (facts.has_winner, facts.winner, facts.own_winner) = (false, None, None);
        facts
    });
    let scored: Vec<Facts> = scored.collect();
    let told = "Topics of compared debates: 40, with 2 debates each.";
    let both = world::found(ranked.into_iter().chain(scored.clone()).collect());
    assert_eq!(design(&both, Asked::Topics), (Some(true), told));
    let scored = world::found(scored);
    assert!(design(&scored, Asked::Topics).1.starts_with("Topics: 10, with 2 debates each"));
}

#[test]
fn c4_questions_of_one_passage_are_one_topic_in_every_number() {
    let mut debates = debates(0.0);
    for facts in &mut debates {
        let topic: usize = facts
            .topic
            .chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .expect("a number");
        facts.answer = Some(controls::posed(topic, &format!("p{}", topic / 2)));
    }
    let found = world::found(debates);
    let lead = &found.leaderboards.strengths[0].distances[0].found;
    let pair = &found.comparisons[0].pairs[0].found.estimate;
    assert_eq!((lead.clusters, pair.clusters), (20, 20));
    let told = "40 questions count as 20, because questions of one cluster are not independent.";
    assert!(found.cautions.iter().any(|it| it == told), "{:?}", found.cautions);
}

#[test]
fn s3_a_debate_with_an_audiences_ballot_is_not_called_one_with_a_fallback() {
    let mut debates = debates(0.0);
    let round = AudienceRound { round: 1, majority: Some(true), counted: true, decisive: false };
    debates[0].audience = Some(AudienceFacts { effect: "ballot".into(), rounds: [round].into() });
    let found = world::found(debates);
    let left_out = &found.leaderboards.strengths[0].left_out;
    assert_eq!(left_out.get("an audience's ballot counted"), Some(&1), "{left_out:?}");
    assert_eq!(left_out.len(), 1);
}

/// Two nights of one job: in the first, a fallback model spoke for the debate.
#[test]
fn c3_of_two_nights_a_comparison_knows_its_own_debate() {
    let night = |n: usize, fallbacks: u32| {
        let mut debate = world::blank("dialectic", n, 0);
        debate.id = format!("{:064x}", 77).into();
        debate.people = [world::somebody("proposer", "P", "llama-8")].into();
        debate.people[0].fallbacks = fallbacks;
        let [mut of_debate, comparison] =
            [alone::comparison(n, 0, Vote::P, 1.0), alone::comparison(10 + n, 0, Vote::P, 1.0)];
        let mut open = of_debate.open.take().expect("answers");
        (open.arm, open.record) = ("debate".into(), format!("sha256:{n}").as_str().into());
        debate.open = Some(open);
        let mut comparison = comparison;
        let open = comparison.open.as_mut().expect("answers");
        open.matched = [((*debate.id).into(), format!("sha256:{n}").as_str().into())].into();
        [debate, comparison]
    };
    let both = [night(1, 1), night(2, 0)].concat();
    let row = world::found(both).alone.remove(0);
    assert_eq!((row.replaced, row.stale, row.better), (1, 0, 1));
}

#[test]
fn s2_survival_and_constant_shares_hold_the_truth_by_topics() {
    play("survival", 40);
    play("shares of 90%", 40);
}

#[test]
fn c1_what_a_slot_is_worth_is_found_and_nothing_where_it_is_worth_nothing() {
    play("panels: slot", 40);
    play("panels: slot worth nothing", 60);
}

#[test]
fn c1_who_always_prefers_the_first_slot_decides_nothing_and_a_shadow_neither() {
    play("panels: always the first slot", 4);
    play("panels: a shadow", 4);
}

#[test]
fn c3_what_debates_gain_over_controls_is_told_and_nothing_else() {
    play("controls: ", 25);
}

#[test]
fn c3_what_debates_gain_over_a_model_alone_is_told_and_nothing_else() {
    play("compare: ", 60);
}

#[test]
fn c1_what_the_first_criterion_gains_is_found() {
    play("panels: first criterion", 60);
}

#[test]
fn c2_what_a_shadow_gives_its_family_is_found() {
    play("panels: own family", 60);
}

#[test]
fn c1_a_noisy_judge_flips_as_often_by_chance_as_by_order() {
    let bench = panels::Bench::default();
    let odd: Vec<_> = (1..=40).map(|seed| bench.odd(seed)).collect();
    let mean = |of: fn(&rebut::stats::findings::PanelJudge) -> Option<f64>| {
        odd.iter().filter_map(of).sum::<f64>() / odd.len() as f64
    };
    let (flips, repeats) = (mean(|it| it.flips.value), mean(|it| it.repeat_flips.value));
    assert!((0.2..0.27).contains(&flips), "{flips}");
    assert!((flips - repeats).abs() < 0.03, "{flips} {repeats}");
}

#[test]
fn c1_a_slot_worth_half_a_point_is_ahead_in_two_readings_of_three() {
    let bench = panels::Bench { slot: 0.5, ..panels::Bench::default() };
    let rates = (1..=100).filter_map(|seed| bench.odd(seed).first_slot.value);
    let mean = rates.sum::<f64>() / 100.0;
    assert!((mean - 0.65).abs() < 0.02, "{mean}");
}

#[test]
fn c1_who_always_has_the_first_slot_ahead_flips_every_time_and_gives_no_side_a_vote() {
    let bench = panels::Bench { blind: true, ..panels::Bench::default() };
    let odd = bench.odd(1);
    assert_eq!((odd.flips.value, odd.reversed.value), (Some(1.0), Some(1.0)));
    assert_eq!(odd.first_slot.value, Some(1.0));
    // A share has an interval even where all are alike.
    assert!(odd.first_slot.low.is_some_and(|low| low > 0.9));
    assert_eq!(odd.first_slot_p, Some(0.5_f64.powi(39)), "40 topics, each a toss of a coin");
    let told = "odd-1 on the panel house prefers the side in the first slot by 3.00 points";
    assert!(bench.is_told(1, told));
    let seats = bench.corpus(1).into_iter();
    let votes = seats.map(|facts| facts.panels[0].seats[0].vote);
    assert!(votes.into_iter().all(|vote| vote == Some(rebut::event::Vote::Tie)));
}

/// On two topics an interval is wide, and an excess of flips stays one of shares.
#[test]
fn c1_the_excess_of_flips_ends_at_all_of_them() {
    for seed in 1..=10 {
        let bench = panels::Bench { topics: 2, ..panels::Bench::default() };
        let excess = bench.odd(seed).excess;
        let ends = [excess.low, excess.high];
        let within = |end: f64| (-1.0..=1.0).contains(&end);
        assert!(ends.into_iter().flatten().all(within), "{excess:?}");
    }
}

#[test]
fn c2_a_shadow_changes_no_winner() {
    let with = panels::Bench { family: Some(3.0), ..panels::Bench::default() };
    let without = panels::Bench { family: Some(0.0), ..panels::Bench::default() };
    let winners = |bench: &panels::Bench| -> Vec<_> {
        let corpus = bench.corpus(1).into_iter();
        corpus.map(|facts| facts.panels[0].winner).collect()
    };
    assert_eq!(winners(&with), winners(&without));
}

#[test]
fn c1_one_reading_a_judge_tells_nothing_of_order_and_that_is_said() {
    let bench = panels::Bench::default();
    let mut corpus = bench.corpus(1);
    for facts in &mut corpus {
        for seat in &mut facts.panels[0].seats {
            seat.readings = seat.readings[..1].into();
        }
    }
    let row = world::found(corpus).panels.remove(0);
    let judge = &row.judges[0];
    for none in [&judge.slot_effect, &judge.flips, &judge.excess, &judge.self_preference] {
        assert!(none.value.is_none() && none.reason.is_some(), "{none:?}");
    }
    assert_eq!(judge.first_slot_reason.as_deref(), Some("it never picked a slot twice"));
}

#[test]
fn c5_a_judge_is_corrected_by_people_who_were_asked_at_random() {
    play("labels: ", 25);
    let asked = labels::people(1, Some(0.2));
    assert_eq!((asked.raters, asked.drawn), (1, 200));
    assert_eq!(asked.repeats.value, Some(1.0), "they say the same twice");
    assert_eq!(asked.people.units, 0, "one person agrees with nobody");
    let own = &asked.judges[0].agreement;
    assert!(own.exact.value.is_some_and(|share| (0.7..0.85).contains(&share)), "{own:?}");
}

/// People read debates of job `a` alone, or of all as they were then; job `b` has more.
#[test]
fn c5_people_correct_no_debates_that_theirs_were_not_drawn_from() {
    let drawn = |options: &str, debates: u64| world::found(drawn_from(options, debates));
    let of_job = drawn("--where job=a", 500);
    let row = &of_job.labels.expect("people were asked").corrected[0];
    assert_eq!((row.judged.n, row.corrected.n), (500, 100));
    assert!(row.corrected.low.is_some(), "{row:?}");
    let outgrown = drawn("", 500);
    let told = "Rates are not corrected: people's debates were drawn from 500, and there are 1000 now; draw another sample.";
    assert!(outgrown.headlines.iter().any(|it| it == told), "{:?}", outgrown.headlines);
    let row = &outgrown.labels.expect("people were asked").corrected[0];
    assert_eq!((row.judged.n, row.corrected.value, row.lambda), (1000, None, None));
}

/// Debates of job `a`, some of which people read, and as many of job `b`. All people's were drawn with these options.
fn drawn_from(options: &str, debates: u64) -> Vec<Facts> {
    let mut all = labels::corpus(1, Some(0.2));
    for (n, facts) in all.iter_mut().enumerate() {
        let job = if n < 500 { "a" } else { "b" };
        facts.private.job = job.into();
        facts.private.tags = [("team".into(), job.into())].into();
        let people = facts.people.iter_mut();
        people.for_each(|person| person.persona = Some(format!("{job}-persona").as_str().into()));
        facts.labels = facts.labels.take().filter(|_| n < 500);
        for said in facts.labels.iter_mut().flat_map(|own| &mut own.said) {
            let options = options.into();
            said.frame = Some(DrawnFrom { debates, options });
        }
    }
    all
}

/// The first model's rate: the debates it rests on, and those of them that people read and correct it.
fn corrected(found: &Findings) -> (usize, Option<usize>) {
    let row = &found.labels.as_ref().expect("people were asked").corrected[0];
    let read = row.corrected.value.map(|_| row.corrected.n);
    (row.judged.n, read)
}

#[test]
fn c5_a_sample_is_outgrown_whichever_debates_are_asked_for() {
    let filters = vec!["job=a".parse().expect("a filter")];
    let of_job = world::found_of(&world::corpus(drawn_from("", 500)), filters);
    assert_eq!(corrected(&of_job), (500, None));
    let mut rehearsed = drawn_from("", 500);
    let later = &mut rehearsed[500..];
    later.iter_mut().for_each(|facts| facts.rehearsal = true);
    assert_eq!(corrected(&world::found(rehearsed)), (500, Some(100)));
    let mut with_rehearsals = drawn_from("--include-rehearsals", 500);
    let later = &mut with_rehearsals[500..];
    later.iter_mut().for_each(|facts| facts.rehearsal = true);
    assert_eq!(corrected(&world::found(with_rehearsals)), (500, None));
}

#[test]
fn c5_a_model_that_people_read_too_little_of_makes_no_headline() {
    let mut all = labels::corpus(1, Some(0.2));
    for facts in &mut all[..100] {
        facts.people[0].model = Some("alpha-1".into());
    }
    let found = world::found(all);
    let rows = &found.labels.as_ref().expect("people were asked").corrected;
    assert_eq!((&*rows[0].model, rows[0].corrected.value), ("alpha-1", None));
    let told = |words: &str| found.headlines.iter().any(|it| it.starts_with(words));
    assert!(told("Corrected by people, "), "{:?}", found.headlines);
    let all = found.headlines.join("\n");
    crate::harness::has_all(
        &all,
        &["People and the debates' own judges agree on ", "by the debates' own judges, it is "],
    );
    assert!(!told("Rates are not corrected"), "{:?}", found.headlines);
}

#[cfg(feature = "view")]
#[test]
fn l3_in_public_people_correct_the_debates_that_theirs_were_drawn_from() {
    for options in [
        "--where job=a",
        "--where persona=a-persona",
        "--where tag.team=a",
        "--where job=a --where tag.other=(none)",
    ] {
        let mut corpus = world::corpus(drawn_from(options, 500));
        rebut::view::in_public(&mut corpus);
        let facts = format!("{:?}", corpus.debates);
        assert!(!facts.contains(options), "{options}");
        let found = world::found_of(&corpus, Vec::new());
        assert_eq!(corrected(&found), (500, Some(100)), "{options}");
    }
}

#[test]
fn c5_labels_of_debates_that_were_picked_correct_nothing() {
    let picked = labels::findings(1, None);
    let asked = picked.labels.expect("people were asked");
    assert_eq!(asked.judges[0].agreement.exact.n, 200, "agreement is told all the same");
    for row in &asked.corrected {
        assert_eq!((row.corrected.value, row.lambda), (None, None));
        let reason = row.corrected.reason.as_deref();
        assert!(reason.is_some_and(|it| it.contains("were not drawn at random")));
    }
    let told = picked.headlines.iter();
    assert!(told.clone().any(|it| it.starts_with("Rates are not corrected: ")), "{told:?}");
}
