import { userInfo } from 'node:os'
import { InvalidArgumentError, Option } from 'commander'

const MAX_LENGTH = 100

/** `--by`: the person who does it. */
export const byOption = (who: string) =>
  new Option('--by <name>', `${who}; default: the user of the operating system`).argParser((text: string) => {
    const name = text.trim()
    if (name !== '' && name.length <= MAX_LENGTH && !/\p{C}/u.test(name)) return name
    throw new InvalidArgumentError(`Expected a name of at most ${MAX_LENGTH} characters.`)
  })

/** The user of the operating system; its number where it has no name, as in containers. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
