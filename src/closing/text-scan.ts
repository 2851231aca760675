import { membersOf } from '../core/documents/json-text.js'
import { formatPath, MAX_PROBLEMS, type Problem } from '../core/documents/lenient-parser.js'

/** Members that decide about closing. */
const DECIDING = ['id', 'state', 'responseDueDate']

/**
 * What a close must not rest on, because a reader of the text may understand something else (docs/CLOSING.md, rule 2): a member
 * that the RFQ has more than once, or an id, state or due date that is not written as the value that was read, but with escapes.
 * @param text of an RFQ that was read, a JSON object; only its own members are looked at
 * @returns at most 200 problems
 */
export function closingProblems(text: string): Problem[] {
  const problems: Problem[] = []
  const names = new Set<string>()
  for (const [name, value] of membersOf(text)) {
    const path = formatPath([name])
    if (names.has(name)) {
      const message = 'the RFQ has this member more than once, so it is not closed'
      problems.push({ path, code: 'duplicate', message })
    } else if (DECIDING.includes(name) && JSON.stringify(JSON.parse(value)) !== value) {
      const message = 'it is not written as the value that was read, so the RFQ is not closed'
      problems.push({ path, code: 'encoding', message })
    }
    names.add(name)
  }
  return problems.slice(0, MAX_PROBLEMS)
}
