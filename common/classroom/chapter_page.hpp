/// \file
/// For the tests of chapters: what a page says that its program prints, and whether the
/// program still does. Test code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "classroom/process.hpp"

namespace pipeline {

/// Runs a chapter's program, in a UTF-8 locale and without a terminal.
ProcessResult run_chapter_program(const std::string& program,
                                  std::vector<std::string> arguments = {});

/// A row of a program's --json.
struct PrintedRow {
  std::string what;
  double predicted = 0;
  double measured = 0;
};

/// All of them; none when it is no such JSON.
std::vector<PrintedRow> rows_of(const std::string& json);

/// The rows whose measurement is not what was predicted, a line each; or that there are
/// none at all.
std::string rows_that_disagree(const std::string& json);

/// The same for a chapter whose predictions are formulas and whose measurements are
/// simulated, so that they are equal at every size: runs `program` from one device and
/// one micro-batch to many of both.
std::string disagreements_at_any_size(const std::string& program);

/// Whether the tests of the chapters that train take all images: with WORKBOOK_FULL in
/// the environment, or when the page is to be written. Else they take a few.
bool takes_all_images();

/// The test accuracy, in per cent, that training on as many images as that reaches for
/// certain.
double least_accuracy();

/// `arguments` for the program of such a chapter, with as many images as that.
std::vector<std::string> with_images(std::vector<std::string> arguments = {});

/// Empty when the first two rows say that `runs` runs trained the weights of one
/// device, and that these are good for so many images; else what they say instead.
std::string complaint_about_training(const std::vector<PrintedRow>& rows, int runs);

/// The block of a page that shows what a command printed:
///
///     ```text
///     $ ./workbook run 01
///     01 · ticks
///     …
///     ```
///
/// Returns the lines below the one with the command; empty if the page has no such
/// block.
std::string output_on_page(std::string_view page, std::string_view command);

/// The page with that block, which it must have, showing `output`.
std::string with_output_on_page(std::string_view page, std::string_view command,
                                std::string_view output);

/// The names in the first column of the table that the block shows, in order: of the
/// rows that the program reports.
std::vector<std::string> rows_on_page(std::string_view page, std::string_view command);

/// What of an output with measured times is the same in every run and on every machine:
/// its words. Numbers (and digests) become #; lines that draw the measured clock, and
/// the paragraph on the level, are left out.
std::string words_of(std::string_view output);

/// How much of the output the page must show as it is.
enum class PageShows { Everything, Words };

/// Empty when the page in `file` shows what `command` has now printed, else what it
/// shows instead. With WORKBOOK_REWRITE_PAGES=1 in the environment the page is brought
/// up to date first.
std::string complaint_about_page(const std::string& file, std::string_view command,
                                 const std::string& output, PageShows shows);

}  // namespace pipeline
