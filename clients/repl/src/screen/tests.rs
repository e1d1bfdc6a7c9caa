//! What is on the screen after frames, and how little is written for it.

use super::*;
use crate::testing::emulator::Emulator;

fn lines(text: &[&str]) -> Vec<Line> {
    text.iter().map(|line| Line::plain(*line)).collect()
}

fn frame(finished: &[&str], live: &[&str], caret: Option<(usize, usize)>) -> Frame {
    Frame { finished: lines(finished), live: lines(live), caret, page: false }
}

fn screen(width: usize, height: usize) -> (Screen<Emulator>, Emulator) {
    let terminal = Emulator::new(width, height);
    (Screen::new(terminal.clone(), width, Theme::Terminal), terminal)
}

#[test]
fn finished_rows_stay_above_the_live_part() {
    let (mut screen, terminal) = screen(20, 10);
    screen.draw(&frame(&[], &["> a", "foot"], Some((0, 3)))).expect("memory");
    screen.draw(&frame(&["one", "two"], &["> ab", "foot"], Some((0, 4)))).expect("memory");
    screen.draw(&frame(&["three"], &["> ab", "foot"], Some((0, 4)))).expect("memory");
    assert_eq!(terminal.text(), "one\ntwo\nthree\n> ab\nfoot");
    assert_eq!(terminal.cursor(), (3, 4));
}

#[test]
fn a_growing_and_shrinking_live_part_leaves_no_traces() {
    let (mut screen, terminal) = screen(20, 6);
    screen.draw(&frame(&["x"], &["a", "b", "c", "d"], Some((3, 0)))).expect("memory");
    screen.draw(&frame(&[], &["a"], Some((0, 1)))).expect("memory");
    assert_eq!(terminal.text(), "x\na");
    screen.draw(&frame(&[], &["a", "b", "c", "d", "e", "f"], None)).expect("memory");
    screen.draw(&frame(&["y"], &["a"], Some((0, 1)))).expect("memory");
    assert_eq!(terminal.text(), "x\ny\na");
}

#[test]
fn many_finished_rows_scroll_away_in_order() {
    let (mut screen, terminal) = screen(20, 4);
    let all: Vec<String> = (0..50).map(|n| format!("row {n}")).collect();
    for pair in all.chunks(7) {
        let finished: Vec<&str> = pair.iter().map(String::as_str).collect();
        screen.draw(&frame(&finished, &["> ", "foot"], Some((0, 2)))).expect("memory");
    }
    assert_eq!(terminal.text(), format!("{}\n>\nfoot", all.join("\n")));
}

#[test]
fn an_unchanged_frame_writes_nothing() {
    let (mut screen, terminal) = screen(20, 10);
    screen.draw(&frame(&[], &["> a", "foot"], Some((0, 3)))).expect("memory");
    let before = terminal.bytes();
    screen.draw(&frame(&[], &["> a", "foot"], Some((0, 3)))).expect("memory");
    assert_eq!(terminal.bytes(), before);
}

#[test]
fn a_key_writes_one_row() {
    let (mut screen, terminal) = screen(80, 24);
    let long = "x".repeat(70);
    screen.draw(&frame(&[], &[&long, &long, "> a", &long], Some((2, 3)))).expect("memory");
    let before = terminal.bytes();
    screen.draw(&frame(&[], &[&long, &long, "> ab", &long], Some((2, 4)))).expect("memory");
    let written = terminal.bytes() - before;
    assert!(written < 60, "{written} bytes");
}

#[test]
fn a_narrower_terminal_is_drawn_whole_again() {
    let (mut screen, terminal) = screen(20, 10);
    let rule = "─".repeat(20);
    screen.draw(&frame(&["done"], &[&rule, "> abc", &rule, "foot"], Some((1, 5)))).expect("memory");
    terminal.resize(8);
    screen.resize(8, 10);
    let rule = "─".repeat(8);
    screen.draw(&frame(&[], &[&rule, "> abc", &rule, "foot"], Some((1, 5)))).expect("memory");
    assert_eq!(terminal.text(), format!("done\n{rule}\n> abc\n{rule}\nfoot"));
    terminal.resize(30);
    screen.resize(30, 10);
    screen.draw(&frame(&[], &[&rule, "> abc", &rule, "foot"], Some((1, 5)))).expect("memory");
    assert_eq!(terminal.text(), format!("done\n{rule}\n> abc\n{rule}\nfoot"));
}

#[test]
fn the_end_leaves_only_what_is_finished() {
    let (mut screen, terminal) = screen(20, 10);
    screen.draw(&frame(&["done"], &["> a", "foot"], Some((0, 3)))).expect("memory");
    screen.finish().expect("memory");
    assert_eq!(terminal.text(), "done");
    assert_eq!(terminal.cursor(), (1, 0));
}

fn page(live: &[&str]) -> Frame {
    Frame { live: lines(live), page: true, ..Frame::default() }
}

#[test]
fn a_page_leaves_the_screen_behind_it_as_it_was() {
    let (mut screen, terminal) = screen(20, 10);
    screen.draw(&frame(&["done"], &["> a", "foot"], Some((0, 3)))).expect("memory");
    screen.draw(&page(&["page one", "end"])).expect("memory");
    assert_eq!(terminal.text(), "page one\nend");
    screen.draw(&page(&["page two", "end"])).expect("memory");
    assert_eq!(terminal.text(), "page two\nend");
    screen.draw(&frame(&["more"], &["> ab", "foot"], Some((0, 4)))).expect("memory");
    assert_eq!(terminal.text(), "done\nmore\n> ab\nfoot");
    assert_eq!(terminal.cursor(), (2, 4));
}

#[test]
fn a_page_survives_a_resize_and_so_does_what_is_behind_it() {
    let (mut screen, terminal) = screen(20, 10);
    let rule = "─".repeat(20);
    screen.draw(&frame(&["done"], &[&rule, "> abc", &rule], Some((1, 5)))).expect("memory");
    screen.draw(&page(&[&rule, "page", &rule])).expect("memory");
    terminal.resize(8);
    screen.resize(8, 10);
    let rule = "─".repeat(8);
    screen.draw(&page(&[&rule, "page", &rule])).expect("memory");
    assert_eq!(terminal.text(), format!("{rule}\npage\n{rule}"));
    screen.draw(&frame(&[], &[&rule, "> abc", &rule], Some((1, 5)))).expect("memory");
    assert_eq!(terminal.text(), format!("done\n{rule}\n> abc\n{rule}"));
}

#[test]
fn one_row_of_a_page_is_one_row_of_bytes() {
    let (mut screen, terminal) = screen(80, 24);
    let long = "x".repeat(70);
    screen.draw(&page(&[&long, "a", &long])).expect("memory");
    let before = terminal.bytes();
    screen.draw(&page(&[&long, "b", &long])).expect("memory");
    let written = terminal.bytes() - before;
    assert!(written < 60, "{written} bytes");
}

#[test]
fn the_end_in_the_middle_of_a_page_closes_it() {
    let (mut screen, terminal) = screen(20, 10);
    screen.draw(&frame(&["done"], &["> a"], Some((0, 3)))).expect("memory");
    screen.draw(&page(&["page"])).expect("memory");
    drop(screen);
    assert_eq!(terminal.text(), "done\n> a");
}
