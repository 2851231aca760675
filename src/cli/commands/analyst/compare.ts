import { Option } from 'commander'
import { termsReadOf } from '../../../core/time/read-times.js'
import { findRfq } from '../../../tables/find-rfq.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import {
  asOfOption,
  channelOption,
  csvOption,
  jsonOption,
  overridesOf,
  rfqArgument,
  type SharedOptions,
  setOption,
  volumeOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { type ComparisonOptions, printComparison } from '../../output/comparison.js'
import { describeFreshness, describePast } from '../../output/freshness.js'

type Options = SharedOptions & ComparisonOptions

/** `compare RFQ`: the recommendation, the choices and the offers. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addArgument(rfqArgument())
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(volumeOption())
    .addOption(setOption())
    .addOption(
      new Option('--questions', 'print only the letters to developers, with what to ask them').conflicts([
        'json',
        'csv',
      ]),
    )
    .option('--wide', 'show all columns, however wide the table becomes')
    .addOption(csvOption().conflicts('json'))
    .addOption(jsonOption('print JSON: the decision and the offers, as in the API'))
    .action((name: string, options: Options) =>
      withStore(
        cli,
        async (store, app) => {
          const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
          const found = await findRfq(store, { name, ...filter })
          const { rfq, responses } = found
          const { asOf } = filter
          const reads = { rfqs: [rfq], termsRead: termsReadOf(responses) }
          const freshness =
            asOf === undefined
              ? await describeFreshness(cli, store, { channels: [rfq.channel], kind: 'rfqs', ...reads })
              : await describePast(store, rfq.channel, asOf)
          await printComparison(cli, { app, asOf, freshness }, found, options)
        },
        overridesOf(options),
      ),
    )
  withExamples(
    command,
    ['quotekeeper compare 1012', 'the recommended award, and how the offers compare'],
    ['quotekeeper compare 1012 --volume 8000', 'if at least 8,000 t are to be awarded'],
    ['quotekeeper compare 1012 --set awardTolerance=0', 'with other settings'],
    ['quotekeeper compare 1012 --as-of yesterday', 'as it was at the end of yesterday'],
    ['quotekeeper compare 1012 --questions', 'what to ask the developers, to copy'],
    ['quotekeeper compare 1012 --csv > offers.csv', 'the offers, for a spreadsheet'],
  )
}
