// workbook: the command that the script `./workbook` builds and hands over to.
#include <exception>
#include <string>
#include <vector>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/process.hpp"
#include "grading/grade_line.hpp"

int main(int argc, char** argv) {
  pipeline::catch_interrupts();
  try {
    const pipeline::Workspace at = {WORKBOOK_ROOT, WORKBOOK_BUILD};
    std::vector<pipeline::AddCommands> more;
#ifdef WORKBOOK_GRADES
    more.push_back(pipeline::add_grading_commands);
#endif
    return pipeline::run_command_line(
        at, std::vector<std::string>(argv + 1, argv + argc), more);
  } catch (const std::exception& fault) {
    return pipeline::complain(
        {fault.what(), "Please report this with what you typed."});
  }
}
