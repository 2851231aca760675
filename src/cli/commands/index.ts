import type { RegisterCommand } from '../cli-context.js'

/** A command as listed in the help. Its module is loaded only when the command runs, to keep the start fast. */
export interface CommandEntry {
  name: string
  /** Its arguments, as listed in the help. */
  args?: string
  description: string
  load: () => Promise<{ register: RegisterCommand }>
}

const analyst: readonly CommandEntry[] = [
  {
    name: 'today',
    description:
      'list what needs attention, most urgent first: closes, due dates, new offers, channels that are behind',
    load: () => import('./analyst/today.js'),
  },
  {
    name: 'rfqs',
    description: 'list RFQs with their due dates, best prices and recommended awards',
    load: () => import('./analyst/rfqs.js'),
  },
  {
    name: 'compare',
    args: '<rfq>',
    description: 'say whom to award and why, then compare the offers: price, failed requirements, flags',
    load: () => import('./analyst/compare.js'),
  },
  {
    name: 'changes',
    description: 'list what changed in all RFQs and offers since yesterday, or in one RFQ, newest first',
    load: () => import('./analyst/changes.js'),
  },
  {
    name: 'award',
    args: '[rfq]',
    description: 'record which offers the desk awards, and why; withdraw an award; list awards',
    load: () => import('./analyst/award.js'),
  },
  {
    name: 'report',
    args: '[rfq]',
    description: 'write a workbook: the offer comparison of an RFQ, or the overview of a channel',
    load: () => import('./analyst/report.js'),
  },
  {
    name: 'listings',
    description: 'list project listings',
    load: () => import('./analyst/listings.js'),
  },
  {
    name: 'export',
    description: 'print stored documents as NDJSON, one per line',
    load: () => import('./analyst/export.js'),
  },
]

const operation: readonly CommandEntry[] = [
  {
    name: 'init',
    description:
      'ask a few questions and write a configuration here, or to the path given with --config; never overwrites',
    load: () => import('./operation/init.js'),
  },
  {
    name: 'check',
    description: 'test the configuration, the database, the queue and every channel',
    load: () => import('./operation/check.js'),
  },
  {
    name: 'sync',
    description: 'poll listings and RFQs now, without a queue',
    load: () => import('./operation/sync.js'),
  },
  {
    name: 'start',
    description: 'run the service until Ctrl-C: schedule, workers, and a web server for health',
    load: () => import('./operation/start.js'),
  },
  {
    name: 'work',
    description: 'run only workers, in addition to the process that schedules jobs',
    load: () => import('./operation/work.js'),
  },
  {
    name: 'close-expired',
    description: 'close RFQs that are past due now, without a queue',
    load: () => import('./operation/close-expired.js'),
  },
  {
    name: 'closings',
    description: 'list closings: decisions to close or keep RFQs, with reasons, newest first',
    load: () => import('./operation/closings.js'),
  },
  {
    name: 'runs',
    description: 'list polls and closing rounds with their outcomes, newest first',
    load: () => import('./operation/runs.js'),
  },
  {
    name: 'problems',
    description: "list where documents deviate from the marketplace's API documentation",
    load: () => import('./operation/problems.js'),
  },
  {
    name: 'notify',
    description: 'list notifications that could not be sent; send a test, or send them again',
    load: () => import('./operation/notify.js'),
  },
  {
    name: 'backup',
    args: '<target>',
    description: 'copy the database to a file or folder while Quotekeeper keeps running',
    load: () => import('./data/backup.js'),
  },
  {
    name: 'restore',
    args: '<file>',
    description: 'replace the database by a backup; the replaced one is kept beside it',
    load: () => import('./data/restore.js'),
  },
  {
    name: 'prune',
    description: 'delete old events and old runs that found nothing new; versions and closings stay',
    load: () => import('./data/prune.js'),
  },
  {
    name: 'copy-database',
    args: '<from> <to>',
    description: 'copy everything to a new database, from SQLite to PostgreSQL or back, and verify the copy',
    load: () => import('./data/copy-database.js'),
  },
  {
    name: 'mcp',
    description: 'let an assistant read the record: a Model Context Protocol server on stdin and stdout',
    load: () => import('./operation/mcp.js'),
  },
  {
    name: 'sandbox',
    description: 'run a local sample marketplace that serves the whole API',
    load: () => import('./operation/sandbox.js'),
  },
  {
    name: 'demo',
    description: 'run the whole service on a sample marketplace, in a temporary folder',
    load: () => import('./operation/demo.js'),
  },
]

/** The commands by their reader, in help order. */
export const commandGroups = { Analyst: analyst, Operation: operation } as const

/** Every command, in help order. */
export const commands: readonly CommandEntry[] = [...analyst, ...operation]
