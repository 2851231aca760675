import type { RegisterCommand } from '../cli-context.js'

/** A command as the help lists it; its file is loaded only when it is asked for. */
export interface CommandEntry {
  name: string
  /** Its arguments, as the help lists them. */
  args?: string
  description: string
  load: () => Promise<{ register: RegisterCommand }>
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    description: 'write a commented quotekeeper.yaml and .env.example here (or at --config FILE); never overwrites',
    load: () => import('./init.js'),
  },
  {
    name: 'check',
    description: 'try configuration, database, queue and every channel, and say what to do about each failure',
    load: () => import('./check.js'),
  },
  {
    name: 'start',
    description: 'run the service: schedule, workers and health over HTTP, until Ctrl-C',
    load: () => import('./start.js'),
  },
  {
    name: 'work',
    description: 'run workers only, for a second process or machine',
    load: () => import('./work.js'),
  },
  {
    name: 'sync',
    description: 'poll listings and RFQs now, in this process, with no queue',
    load: () => import('./sync.js'),
  },
  {
    name: 'close-expired',
    description: 'close now what is past its due date, with no queue',
    load: () => import('./close-expired.js'),
  },
  {
    name: 'report',
    args: '[rfq]',
    description: 'write the workbook that compares the offers for an RFQ, or the overview of a channel',
    load: () => import('./report.js'),
  },
  {
    name: 'rfqs',
    description: 'list the RFQs that are known',
    load: () => import('./rfqs.js'),
  },
  {
    name: 'offers',
    args: '<rfq>',
    description: 'list the offers for one RFQ, cheapest per tonne first',
    load: () => import('./offers.js'),
  },
  {
    name: 'listings',
    description: 'list the project listings that are known',
    load: () => import('./listings.js'),
  },
  {
    name: 'history',
    args: '<rfq>',
    description: 'list every version of an RFQ and its offers that was seen, oldest first',
    load: () => import('./history.js'),
  },
  {
    name: 'runs',
    description: 'list polls and closing rounds with their outcome, newest first',
    load: () => import('./runs.js'),
  },
  {
    name: 'decisions',
    description: 'list the decisions to close or keep RFQs with their reasons, newest first',
    load: () => import('./decisions.js'),
  },
  {
    name: 'problems',
    description: 'list what the marketplace sent that does not fit its own API document',
    load: () => import('./problems.js'),
  },
  {
    name: 'export',
    description: 'print documents as NDJSON, one snapshot a line',
    load: () => import('./export.js'),
  },
  {
    name: 'sandbox',
    description: 'serve a small marketplace of its own on this machine, with the whole API',
    load: () => import('./sandbox.js'),
  },
  {
    name: 'demo',
    description: 'do the whole job on a marketplace of its own, in a throw-away folder',
    load: () => import('./demo.js'),
  },
  {
    name: 'backup',
    args: '<file>',
    description: 'copy the database to a file, whole, while others go on writing',
    load: () => import('./backup.js'),
  },
]
