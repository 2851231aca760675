import { userInfo } from 'node:os'
import { InvalidArgumentError, Option } from 'commander'
import { MAX_NAME_LENGTH, nameProblem } from '../../core/text/clean-text.js'

/** `--by`: the person who does it. */
export const byOption = (who: string) =>
  new Option('--by <name>', `${who}; default: the user of the operating system`).argParser((text: string) => {
    const name = text.trim()
    const problem = nameProblem(name)
    if (problem === null) return name
    throw new InvalidArgumentError(`The name ${problem}; use at most ${MAX_NAME_LENGTH} visible characters.`)
  })

/** The user of the operating system; its number where it has no name, as in containers. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
