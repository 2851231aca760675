import type { RegisterCommand } from '../cli-context.js'

/** A command as listed in the help. Its module is loaded only when the command runs, to keep the start fast. */
interface CommandEntry {
  name: string
  /** Its arguments, as listed in the help. */
  args: string
  description: string
  load: () => Promise<RegisterCommand>
}

/** Usage and description, in help order, by the folder of the command's file; `list` for those of lists.ts. */
const ANALYST = [
  ['analyst', 'today', 'list the RFQs that wait for a person, most urgent first'],
  ['list', 'rfqs', 'list RFQs with whom to award, the most urgent first'],
  ['analyst', 'compare <rfq>', 'say whom to award and why, then compare the offers'],
  ['list', 'changes', 'list what changed in RFQs, offers, recommendations and awards'],
  ['analyst', 'award [rfq]', 'record whom the desk awards, and why; withdraw or list awards'],
  ['analyst', 'report [rfq]', 'write a workbook: the offers of an RFQ, or a channel overview'],
  ['list', 'listings', 'list project listings'],
  ['analyst', 'export', 'print stored documents as NDJSON, one per line'],
] as const
const OPERATION = [
  ['operation', 'init', 'write a configuration to edit; never overwrites one'],
  ['operation', 'check', 'test the configuration, the database, the queue and every channel'],
  ['operation', 'sync', 'poll listings and RFQs now, without a queue'],
  ['operation', 'start', 'run the service until Ctrl-C: schedule, workers, pages and API'],
  ['operation', 'work', 'run only workers, in addition to the process that schedules jobs'],
  ['operation', 'close-expired', 'close RFQs that are past due now, without a queue'],
  ['operation', 'closings', 'list decisions to close RFQs or to keep them open, with reasons'],
  ['list', 'runs', 'list polls and closing rounds with their outcomes, newest first'],
  ['list', 'problems', "list where documents deviate from the marketplace's API documentation"],
  ['operation', 'notify', 'list notifications; send a test, or send them again'],
  ['data', 'backup <target>', 'copy the database to a file or folder while Quotekeeper keeps running'],
  ['data', 'restore <file>', 'replace the database by a backup; the replaced one is kept beside it'],
  ['data', 'copy-database <from> <to>', 'copy everything to a new database of either engine'],
  ['operation', 'mcp', 'let an assistant read the record (Model Context Protocol)'],
  ['operation', 'sandbox', 'run a local sample marketplace that serves the whole API'],
  ['operation', 'demo', 'run the whole service on a sample marketplace, in a temporary folder'],
] as const

function toEntry([folder, usage, description]: readonly [
  folder: string,
  usage: string,
  description: string,
]): CommandEntry {
  const [name = '', ...args] = usage.split(' ')
  return { name, args: args.join(' '), description, load: () => registerOf(folder, name) }
}

/** Loads the module of a command. */
async function registerOf(folder: string, name: string): Promise<RegisterCommand> {
  if (folder === 'list') return (await import('./lists.js')).LIST_COMMANDS[name] as RegisterCommand
  return (await import(/* @vite-ignore */ `./${folder}/${name}.js`)).register
}

/** The commands by their reader, in help order. */
export const commandGroups = { Analyst: ANALYST.map(toEntry), Operation: OPERATION.map(toEntry) } as const

/** Every command, in help order. */
export const commands: readonly CommandEntry[] = [...commandGroups.Analyst, ...commandGroups.Operation]
