import type { RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'
import { registerList } from '../list-command.js'

/** `problems`: lists where documents deviate from the API documentation. */
export const register: RegisterCommand = (command, cli) => {
  command.option('--replay', 'first validate all stored documents again with this version of Quotekeeper')
  registerList(command, cli, 'problems', {
    freshness: 'rfqs',
    records: true,
    async prepare({ store }, { replay }) {
      if (!replay) return
      const { documents, nowValid, nowInvalid, problemsGone, problemsNew } = await store.revalidate(cli.io.now())
      cli.io.err(
        `Validated ${documents} stored documents: ${nowValid} became valid, ${nowInvalid} became invalid; ` +
          `${problemsGone} problems removed, ${problemsNew} added.\n`,
      )
    },
  })
  withExamples(
    command,
    ['quotekeeper problems --channel acme/forest', 'the problems of one channel'],
    ['quotekeeper problems --replay', 'validate again after an update'],
  )
}
