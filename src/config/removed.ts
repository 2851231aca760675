/**
 * What earlier versions had, each with what to use instead: commands, options of commands, and configuration keys, with `*` for a name
 * that the user chose and without numbers of list entries (`channels.color`, `notify.targets.*.color`).
 */
export const REMOVED: Record<'command' | 'option' | 'key', Readonly<Record<string, string>>> = {
  command: {
    completion: '`quotekeeper --help` lists the commands, and `--help` after one its options',
    decisions: '`closings`',
    history: '`changes --rfq RFQ`',
    offers: '`compare RFQ`',
    prune: '`start` deletes old events and idle runs every day (`history.keepDays`)',
  },
  option: {
    '--adopt-queue': 'nothing: each database has its own queue on a Redis',
    '--all': '`closings` lists every decision; equal ones of consecutive rounds are one row',
    '--as-of': 'lists are of now; `compare RFQ --as-of TIME` for one RFQ, `export --as-of TIME` for everything',
    '--anchor': 'keep the head hash that notifications and log lines of closes carry',
    '--anchors': '--head HASH, with a head hash that a notification or a log line of a close carried',
    '--changed-since': '--since',
    '--format': '`report` writes workbooks; print the page of the RFQ, or use `compare --json`, and `--csv` of lists',
    '--force': 'nothing is overwritten: choose another file',
    '--or-stored': '`report` shows what is recorded',
    '--compact':
      'nothing: deleted rows leave space that is used again; `sqlite3 FILE vacuum` gives it back to the disk',
    '--dry-run': 'only `close-expired` has it',
    '--no-etags': 'the sandbox sends no ETag',
    '--open': 'the path of the file is printed, so: xdg-open "$(quotekeeper report 1012)"',
    '--time-zone': 'times are in UTC; a time in an option may have an offset, such as 2026-01-31T14:00+02:00',
    '--tsv': '--csv prints the same columns, separated by commas',
    '--retry':
      'notifications: `notify --target NAME --from SEQUENCE` sends from an event on; closes: `close-expired --retry`',
    '--scenario': 'bookmark the address of a what-if, or pass its settings with --set',
  },
  key: {
    'history.keepEventsDays': 'history.keepDays',
    'history.keepPlansDays': 'history.keepDays',
    'history.keepRunsDays': 'history.keepDays',
    'notify.routes': 'set `kinds` and `channels` of each target under notify.targets',
    anchors: 'keep the head hash that notifications and log lines of closes carry; `closings --verify --head HASH`',
    'reports.awardRule': 'awardTolerance: 0 for the lowest price per tonne, unlimited for the lowest total',
    'reports.expiryWindowDays': 'delete it: an offer that expires within 14 days is flagged',
    'reports.haircuts': 'delete it: offers cost what they quote, or its present value (`priceBasis`)',
    'reports.prepaymentShareLimit': 'delete it: an offer that is paid in full before delivery is flagged',
    'reports.totalTolerance': 'delete it: a stated total may differ from its lines by 0.1 %',
    'reports.vintagePointsPerYear': 'delete it: offers have no score; set awardTolerance',
    'reports.waitDays': 'delete it: offers have no score; set awardTolerance',
    'reports.weights': 'delete it: offers have no score; set awardTolerance',
    'reports.volumeTolerance': 'delete it: a stated volume may differ from its lines by 0.5 t',
    'web.trustedProxies': 'delete it: a proxy proves itself by web.proxySecret, whatever its address',
    'polling.conditionalRequests': 'delete it: no request is conditional',
  },
}

/** What to use instead of a configuration key that was removed; undefined if there never was such a key. */
export const insteadOfKey = (names: readonly string[]): string | undefined =>
  Object.entries(REMOVED.key).find(([key]) => {
    const steps = key.split('.')
    return steps.length === names.length && steps.every((step, at) => step === '*' || step === names[at])
  })?.[1]
