//! What notes become on the sheet: names, sides, and what cannot be.

use super::*;

#[test]
fn m7_a_new_point_is_named_by_the_place_its_clerk_wrote_it_at() {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1)]);
    let exchange = [
        Noted {
            n: 1,
            new: vec![None, Some("second".to_owned()), Some("third".to_owned())],
            ..Noted::default()
        },
        Noted {
            n: 2,
            moves: [1, 2, 3]
                .map(|place| NotedMove {
                    at: Named::New(1, place),
                    how: How::Partial,
                    with: None,
                    said: String::new(),
                })
                .into(),
            ..Noted::default()
        },
    ];
    let noted = sheet.note(&exchange);
    let at: Vec<&str> = noted[1].moves.iter().map(|step| step.at.as_str()).collect();
    assert_eq!((at, noted[1].impossible), (vec!["A1", "A2"], 1));
    assert_eq!(noted[0].points[0].text, "second");
}

#[test]
fn m7_an_impossible_move_is_told_by_the_id_of_its_point() {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1)]);
    let step = |place: usize| NotedMove {
        at: Named::New(1, place),
        how: How::Withdrawn,
        with: None,
        said: format!("1.{place} drop"),
    };
    let new = vec![None, Some("first".to_owned())];
    let exchange = [
        Noted { n: 1, new, ..Noted::default() },
        Noted { n: 2, moves: vec![step(1), step(2)], ..Noted::default() },
    ];
    let noted = sheet.note(&exchange);
    let told: Vec<&str> = noted[1].unusable.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(told, ["1.1 drop", "A1 drop"]);
}

#[test]
fn m7_behind_the_last_letter_sides_have_two() {
    let names: Vec<String> = (0..60).map(|n| format!("side {n:02}")).collect();
    let turns: Vec<(u32, &str, u32)> =
        (1..).zip(&names).map(|(n, by)| (n, by.as_str(), 0)).collect();
    let mut sheet = sheet_of(&turns);
    let noted: Vec<Noted> = turns
        .iter()
        .map(|(n, _, _)| Noted { n: *n, new: vec![Some("a point".to_owned())], ..Noted::default() })
        .collect();
    let noted = sheet.note(&noted);
    let ids: Vec<&str> = noted.iter().map(|notes| notes.points[0].id.as_str()).collect();
    assert_eq!((ids[0], ids[24], ids[25], ids[26]), ("A1", "Z1", "AA1", "AB1"));
    assert_eq!((ids[49], ids[50]), ("AZ1", "BA1"));
    let each: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(each.len(), ids.len(), "no two are the same");
}

#[test]
fn m7_who_was_blind_had_no_turn() {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 0)]);
    sheet.take(&[notes(1, &["A1"], &[])]);
    let flow = sheet.flow(true);
    assert_eq!(statuses(&flow), [("A1", PointStatus::Standing)]);
    assert!(!flow.points[0].faced);
}

#[test]
fn m7_what_cannot_be_is_left_out_and_counted() {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1), (3, "a", 2)]);
    let step = |at: Named, how: How| NotedMove { at, how, with: None, said: String::new() };
    let id = |id: &str| Named::Id(id.to_owned());
    let exchange = [
        Noted {
            n: 1,
            new: vec![Some("first".to_owned())],
            // Made later, and never made.
            moves: vec![step(Named::New(2, 1), How::Full), step(id("B7"), How::Full)],
            ..Noted::default()
        },
        Noted {
            n: 2,
            new: vec![Some("second".to_owned())],
            // Another's point is not withdrawn; of two words on one point the first counts.
            moves: vec![
                step(Named::New(1, 1), How::Full),
                step(Named::New(1, 1), How::Partial),
                step(id("A1"), How::Withdrawn),
            ],
            unreadable: vec!["A1 is fine".to_owned()],
            ..Noted::default()
        },
    ];
    let noted = sheet.note(&exchange);
    let moves: Vec<usize> = noted.iter().map(|notes| notes.moves.len()).collect();
    let impossible: Vec<u32> = noted.iter().map(|notes| notes.impossible).collect();
    assert_eq!((moves, impossible), (vec![0, 1], vec![2, 2]));
    let causes = |notes: &StatementNotes| {
        let all = notes.unusable.iter();
        all.map(|entry| entry.cause.clone()).collect::<Vec<_>>()
    };
    let unseen = "the speaker had not seen it";
    assert_eq!(causes(&noted[0]), [unseen, "there is no such point or question"]);
    let unreadable = "it names no point, or no move on one";
    assert_eq!(causes(&noted[1]), [unreadable, "it is another side's"]);
    assert_eq!(noted[1].unusable[0].text, "A1 is fine");
    let third = [Noted { n: 3, new: vec![Some("third".to_owned())], ..Noted::default() }];
    assert_eq!(sheet.note(&third)[0].points[0].id, "A2", "numbers go on");
}

#[test]
fn m7_before_any_reply_there_is_nothing_to_defend_a_point_against() {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "a", 1), (3, "b", 2), (4, "a", 3)]);
    let turn = |n: u32, how: How| Noted {
        n,
        moves: vec![NotedMove {
            at: Named::Id("A1".to_owned()),
            how,
            with: None,
            said: String::new(),
        }],
        ..Noted::default()
    };
    let exchange = [
        Noted { n: 1, new: vec![Some("first".to_owned())], ..Noted::default() },
        turn(2, How::Defended),
        turn(3, How::Full),
        turn(4, How::Defended),
    ];
    let noted = sheet.note(&exchange);
    let moves: Vec<usize> = noted.iter().map(|notes| notes.moves.len()).collect();
    assert_eq!((moves, noted[1].impossible), (vec![0, 0, 1, 1], 1));
}

#[test]
fn m7_a_move_on_a_question_that_the_form_offers_and_that_is_none_is_not_held_against_the_clerk() {
    for (asks, expected) in [(true, 0), (false, 1)] {
        let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1)]);
        let on_it =
            NotedMove { at: Named::Asked(1), how: How::Partial, with: None, said: String::new() };
        let exchange = [
            Noted { n: 1, asks, ..Noted::default() },
            Noted { n: 2, moves: vec![on_it], ..Noted::default() },
        ];
        let noted = sheet.note(&exchange);
        assert_eq!((noted[1].impossible, noted[1].moves.len()), (expected, 0));
    }
}

#[test]
fn m7_a_question_of_the_same_exchange_is_answered_by_its_place() {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1)]);
    let asked = |question: &str| Some(question.to_owned());
    let step = |at: Named| NotedMove { at, how: How::Full, with: None, said: String::new() };
    let exchange = [
        Noted { n: 1, question: asked("Who pays?"), ..Noted::default() },
        Noted {
            n: 2,
            question: asked("Who else?"),
            // Nobody answers their own question.
            moves: vec![step(Named::Asked(1)), step(Named::Asked(2))],
            ..Noted::default()
        },
    ];
    let noted = sheet.note(&exchange);
    assert_eq!(noted[1].impossible, 1);
    let answered: Vec<Option<u32>> =
        sheet.flow(true).questions.iter().map(|question| question.answered_in).collect();
    assert_eq!(answered, [Some(2), None]);
}

#[test]
fn m7_of_several_sides_a_question_is_asked_again_only_of_whom_it_was_asked() {
    for (names, expected) in [(&["Ann", "Ben", "Cleo"][..], "Q2"), (&[], "Q1")] {
        let mut sheet = sheet_of(&[(1, "c", 0), (2, "c", 1), (3, "a", 2)]);
        sheet.names = names.iter().map(|name| (*name).to_owned()).collect();
        let asked = |n: u32, question: &str| Noted {
            n,
            question: Some(question.to_owned()),
            ..Noted::default()
        };
        let answered =
            NotedMove { at: Named::Asked(2), how: How::Full, with: None, said: String::new() };
        let exchange = [
            asked(1, "Ann, who pays for the rented machine?"),
            asked(2, "Who pays for the rented machine?"),
            Noted { n: 3, moves: vec![answered], ..Noted::default() },
        ];
        sheet.note(&exchange);
        let flow = sheet.flow(true);
        let last = flow.questions.last().map(|question| &*question.id);
        let on: Vec<(&str, How)> = flow.edges.iter().map(|it| (&*it.at, it.how)).collect();
        // That it was put again is noted, and answers nothing.
        let again = (expected == "Q1").then_some((expected, How::Repeated));
        let all: Vec<_> = again.into_iter().chain([(expected, How::Full)]).collect();
        assert_eq!((last, on), (Some(expected), all));
    }
}

#[test]
fn m7_a_point_is_narrowed_only_to_a_new_one_of_the_same_statement() {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1), (3, "a", 2)]);
    let made = |n: u32, texts: &[&str], moves: Vec<NotedMove>| Noted {
        n,
        new: texts.iter().map(|text| Some((*text).to_owned())).collect(),
        moves,
        ..Noted::default()
    };
    let narrow = |at: &str, with: Named| NotedMove {
        at: Named::Id(at.to_owned()),
        how: How::Withdrawn,
        with: Some(with),
        said: String::new(),
    };
    sheet.note(&[made(1, &["for everyone", "at night"], Vec::new()), made(2, &[], Vec::new())]);
    let moves = vec![narrow("A1", Named::New(1, 1)), narrow("A2", Named::Id("A1".to_owned()))];
    let noted = sheet.note(&[made(3, &["downstream"], moves)]);
    assert_eq!(noted[0].impossible, 1, "{noted:?}");
    let flow = sheet.flow(false);
    let [narrowed, kept, narrower] = &flow.points[..] else { panic!("{flow:?}") };
    assert_eq!((narrowed.status, flow.stands(narrowed)), (PointStatus::Narrowed, "narrowed"));
    assert_eq!(flow.stands_by_id(narrowed), "narrowed to A3");
    assert_eq!((kept.status, narrower.status), (PointStatus::Open, PointStatus::Open));
    assert_eq!(flow.narrowed_to(narrowed), Some(narrower));
    assert_eq!((flow.narrowed_to(kept), flow.narrowed_from(narrower)), (None, Some(narrowed)));
}

/// A sheet of two sides that take turns and argue for positions.
fn with_positions() -> Sheet {
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1), (3, "a", 2), (4, "b", 3)]);
    sheet.positioned = sheet.sides.clone();
    sheet
}

/// A move on a position or point named by its id.
fn on(at: &str, how: How, with: Option<Named>) -> NotedMove {
    NotedMove { at: Named::Id(at.to_owned()), how, with, said: format!("{at} {how:?}") }
}

#[test]
fn m7_a_side_narrows_its_position_or_gives_it_up_and_no_count_of_points_changes() {
    let mut sheet = with_positions();
    let new = |texts: &[&str]| -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    };
    let narrowed = on("B0", How::Withdrawn, Some(Named::New(2, 1)));
    sheet.note(&[
        Noted { n: 1, new: new(&["all of them"]), ..Noted::default() },
        Noted { n: 2, new: new(&["most"]), moves: vec![narrowed], ..Noted::default() },
    ]);
    let flow = sheet.flow(false);
    let most = flow.point("B1");
    let [position] = &flow.positions[..] else { panic!("{flow:?}") };
    assert_eq!((position.statement, &*position.by, &*position.at), (2, "b", "B0"));
    let told = |flow: &Flow| -> Vec<(String, u32, String)> {
        let all = flow.on_positions().into_iter();
        all.map(|it| (it.at.to_owned(), it.statement, it.stands())).collect()
    };
    let is = |at: &str, n: u32, stands: &str| (at.to_owned(), n, stands.to_owned());
    assert_eq!(told(&flow), [is("B0", 2, "narrowed to B1")]);
    assert!(most.is_some_and(|most| flow.is_left_of_position(most)));
    assert!(flow.edges.is_empty());
    assert_eq!(statuses(&flow), [("A1", PointStatus::Open), ("B1", PointStatus::Open)]);
    // What is left may be narrowed further, as points are; and the last word on a position counts.
    let further = on("B1", How::Withdrawn, Some(Named::New(2, 1)));
    let gone = on("A0", How::Withdrawn, None);
    sheet.note(&[
        Noted { n: 3, moves: vec![gone], ..Noted::default() },
        Noted { n: 4, new: new(&["some"]), moves: vec![further], ..Noted::default() },
    ]);
    let flow = sheet.flow(true);
    assert_eq!(told(&flow), [is("A0", 3, "given up"), is("B0", 4, "narrowed to B2")]);
    assert_eq!(flow.impossible, 0);
    // Who withdraws what was left has given the position up.
    sheet.turns.push(Turn { n: 6, by: "b".to_owned(), side: "b".to_owned(), saw: 5 });
    let rest = on("B2", How::Withdrawn, None);
    sheet.note(&[Noted { n: 6, moves: vec![rest], ..Noted::default() }]);
    let flow = sheet.flow(true);
    assert_eq!(told(&flow)[1], is("B0", 6, "given up"));
    // A vote calls a position what it was by then, whatever became of it since.
    let called = |until: u32| ["b", "a"].map(|side| flow.position_in_words(|by| by == side, until));
    assert_eq!(called(1), ["the position"; 2]);
    assert_eq!(called(2), ["the narrowed position", "the position"]);
    assert_eq!(called(4), ["the narrowed position", "what was left of its case"]);
    assert_eq!(called(6), ["what was left of its case"; 2]);
}

#[test]
fn m7_of_a_team_whoever_narrowed_what_was_left_is_told_with_that_statement() {
    let told = |moves: &[(u32, &str)]| -> Vec<(String, u32, String)> {
        let mut sheet = with_positions();
        sheet.turns[3].by = "c".to_owned();
        sheet.turns.push(Turn { n: 6, by: "b".to_owned(), side: "b".to_owned(), saw: 5 });
        for (n, at) in moves {
            let new = vec![Some(format!("what is left in {n}"))];
            let moves = vec![on(at, How::Withdrawn, Some(Named::New(1, 1)))];
            sheet.note(&[Noted { n: *n, new, moves, ..Noted::default() }]);
        }
        let flow = sheet.flow(false);
        let all = flow.on_positions().into_iter();
        all.map(|it| (it.by.to_owned(), it.statement, it.stands())).collect()
    };
    let is = |by: &str, n: u32, stands: &str| (by.to_owned(), n, stands.to_owned());
    assert_eq!(told(&[(2, "B0"), (4, "B1")]), [is("c", 4, "narrowed to B2")]);
    // Each has narrowed the position, and the first who did narrowed further what was left.
    let both = [is("c", 4, "narrowed to B2"), is("b", 6, "narrowed to B3")];
    assert_eq!(told(&[(2, "B0"), (4, "B0"), (6, "B1")]), both);
}

#[test]
fn m7_a_position_is_also_named_as_in_the_example_and_narrowed_to_a_point_made_before() {
    for (at, with) in [("M0", Named::New(2, 1)), ("B0", Named::Id("B1".to_owned()))] {
        let mut sheet = with_positions();
        let first = Noted { n: 1, ..Noted::default() };
        let most = Noted { n: 2, new: vec![Some("most".to_owned())], ..Noted::default() };
        let narrowed = vec![on(at, How::Withdrawn, Some(with))];
        match at {
            "M0" => sheet.note(&[first, Noted { moves: narrowed, ..most }]),
            _ => {
                sheet.note(&[first, most]);
                sheet.note(&[Noted { n: 4, moves: narrowed, ..Noted::default() }])
            }
        };
        let flow = sheet.flow(false);
        let told: Vec<_> = flow.on_positions().iter().map(|it| (it.at, it.left)).collect();
        assert_eq!((told, flow.impossible), (vec![("B0", flow.point("B1"))], 0));
    }
}

#[test]
fn m7_nothing_else_is_done_to_a_position_and_nobody_does_it_to_anothers() {
    let mut sheet = with_positions();
    let moves = vec![
        on("A0", How::Full, None),
        on("B0", How::Repeated, None),
        on("A0", How::Withdrawn, None),
        on("B0", How::Withdrawn, Some(Named::Id("B7".to_owned()))),
        NotedMove {
            at: Named::New(1, 1),
            ..on("A1", How::Partial, Some(Named::Id("B0".to_owned())))
        },
    ];
    let noted = sheet.note(&[
        Noted { n: 1, new: vec![Some("first".to_owned())], ..Noted::default() },
        Noted { n: 2, moves: moves.clone(), ..Noted::default() },
    ]);
    let causes: Vec<&str> = noted[1].unusable.iter().map(|it| it.cause.as_str()).collect();
    let not_new = "the narrower argument was not noted";
    assert_eq!(causes, ["it is another side's", not_new]);
    // A reply to a point is made with a point, or with none.
    let flow = sheet.flow(false);
    let [reply] = &flow.edges[..] else { panic!("{flow:?}") };
    assert_eq!((&*reply.at, &reply.with, flow.positions.len()), ("A1", &None, 0));
    // Where sides argue for no positions, there is no such id.
    let mut sheet = sheet_of(&[(1, "a", 0), (2, "b", 1)]);
    let noted = sheet.note(&[Noted { n: 2, moves: moves[..4].to_vec(), ..Noted::default() }]);
    assert_eq!((noted[0].moves.len(), noted[0].impossible), (0, 4));
}

#[test]
fn m7_a_position_that_was_narrowed_before_is_narrowed_further_or_given_up_with_what_was_left() {
    let of = |with: Option<Named>, new: &[&str]| {
        let mut sheet = with_positions();
        let narrowed = |text: &str| Noted { new: vec![Some(text.to_owned())], ..Noted::default() };
        let first = on("B0", How::Withdrawn, Some(Named::New(1, 1)));
        let again = on("B0", How::Withdrawn, with);
        sheet.note(&[Noted { n: 2, moves: vec![first], ..narrowed("most") }]);
        let new = new.iter().map(|text| Some((*text).to_owned())).collect();
        sheet.note(&[Noted { n: 4, new, moves: vec![again], ..Noted::default() }]);
        sheet.flow(true)
    };
    let stands =
        |flow: &Flow| -> Vec<String> { flow.on_positions().iter().map(Yielded::stands).collect() };
    let further = of(Some(Named::New(1, 1)), &["some"]);
    assert_eq!(stands(&further), ["narrowed to B2"]);
    assert_eq!(
        further.point("B1").map(|point| further.stands_by_id(point)),
        Some("narrowed to B2".to_owned())
    );
    let gone = of(None, &[]);
    assert_eq!(stands(&gone), ["given up"]);
    assert_eq!(statuses(&gone), [("B1", PointStatus::Withdrawn)]);
    // What is left is said again.
    let same = of(Some(Named::Id("B1".to_owned())), &[]);
    assert_eq!(same.on_positions()[0].statement, 2);
    let moved = |flow: &Flow| flow.on_a_position_in(4).map(|edge| edge.with.clone());
    let all = [moved(&further), moved(&gone), moved(&same)];
    assert_eq!(all, [Some(Some("B2".to_owned())), Some(None), None]);
    assert_eq!(
        (stands(&same), statuses(&same)),
        (vec!["narrowed to B1".to_owned()], vec![("B1", PointStatus::Dropped)])
    );
}
