import type { Absence, Version } from '../../store/contract.js'
import type { Register } from '../cli.js'
import { reading } from '../compose.js'
import { differences, inWords } from '../differences.js'
import { filterOf } from '../filter.js'
import { findRfq, nameOf } from '../findRfq.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  withExamples,
} from '../options.js'
import { longTime, printJson, printTable } from '../print.js'
import type { Column } from '../table.js'

type Options = ChannelOption & AsOfOption & JsonOption

/** `history RFQ`: every version of an RFQ and its offers. */
export const register: Register = (command, cli) => {
  command
    .argument('<rfq>', 'number, reference or id of the RFQ')
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((match: string, options: Options) =>
      reading(cli, async (store, house) => {
        const filter = await filterOf(cli, { store, house }, options)
        const { rfq } = await findRfq(store, { match, ...filter })
        const versions = await store.rfqHistory(rfq.channel, rfq.id, filter.asOf)
        const absences = await store.absences(rfq.channel, rfq.id, filter.asOf)
        if (options.json) printJson(cli.io, { channel: rfq.channel, rfqId: rfq.id, versions, absences })
        else printTable(cli.io, COLUMNS, events(versions, absences), `RFQ ${nameOf({ rfq })} has no history.`)
      }),
    )
  withExamples(command, ['quotekeeper history 1042', 'what changed in RFQ 1042 and its offers, and when'])
}

/** Something that was seen to have happened between two observations. */
interface Event {
  notBefore: string | null
  seenAt: string
  kind: string
  id: string
  version: number | null
  what: string
}

function events(versions: readonly Version[], absences: readonly Absence[]): Event[] {
  const all = [...versions.map((version) => versionEvent(version, versions)), ...absences.flatMap(absenceEvents)]
  return all.sort((a, b) => a.seenAt.localeCompare(b.seenAt))
}

function versionEvent(version: Version, all: readonly Version[]): Event {
  const before = all.find(
    ({ kind, id, version: number }) => sameDocument({ kind, id }, version) && number === version.version - 1,
  )
  const changes = before ? differences(before.body, version.body).map(inWords).join('; ') : 'first seen'
  const { notBefore, observedAt: seenAt, kind, id } = version
  return {
    notBefore,
    seenAt,
    kind,
    id,
    version: version.version,
    what: version.valid ? changes : `${changes} (invalid)`,
  }
}

const sameDocument = (a: Pick<Version, 'kind' | 'id'>, b: Pick<Version, 'kind' | 'id'>) =>
  a.kind === b.kind && a.id === b.id

function absenceEvents({ kind, id, notBefore, missingSince, returnedAt }: Absence): Event[] {
  const gone = { notBefore, seenAt: missingSince, kind, id, version: null, what: 'no longer shown' }
  return returnedAt === null ? [gone] : [gone, { ...gone, notBefore: null, seenAt: returnedAt, what: 'shown again' }]
}

const COLUMNS: Column<Event>[] = [
  { header: 'Seen (UTC)', cell: ({ seenAt }) => longTime(seenAt) },
  { header: 'Not before', cell: ({ notBefore }) => longTime(notBefore), drop: 2 },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Id', cell: ({ id }) => id, min: 8 },
  { header: 'Version', cell: ({ version }) => version, align: 'right', drop: 1 },
  { header: 'What', cell: ({ what }) => what, min: 30, overflow: 'wrap' },
]
