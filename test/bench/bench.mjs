/**
 * Runs the benchmarks and writes docs/BENCHMARKS.md with their pictures:
 *
 *   npm run bench                       all of them, five rounds each
 *   npm run bench -- sync jobs          some of them; the sections of the others stay as they are
 *   npm run bench -- --rounds 1 sync    fewer rounds
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { barChart } from './bar-chart.mjs'
import { jobsSection } from './jobs.mjs'
import { largeListSection } from './large-list.mjs'
import { startupSection } from './startup.mjs'
import { historySection, storageSection } from './storage.mjs'
import { syncSection } from './sync.mjs'

/** What a script of its own prints, which says itself how often it measures. */
const printedBy = (script, title) => async () => {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${script}: ${stderr}`)
  return { title, text: `\`\`\`\n${stdout.trim()}\n\`\`\``, rounds: null }
}

/** The section on polling has an interpretation of its tables, which is kept; the tables are replaced. */
async function pollingSection() {
  const { text: printed } = await printedBy('polling.mjs', '')()
  const tables = printed.match(/(?:^\|.*\n)+/gm) ?? []
  const [, title, text] = /^## (.*)\n\n([\s\S]*)$/.exec(writtenSections().polling ?? '## Planned polls\n\n')
  let replaced = 0
  const updated = text.replaceAll(/(?:^\|.*\n)+/gm, (table) => tables[replaced++] ?? table)
  return { title, text: (replaced > 0 ? updated : printed).trim(), isWhole: true }
}

const sections = {
  sync: syncSection,
  'large-list': largeListSection,
  storage: storageSection,
  history: historySection,
  jobs: jobsSection,
  startup: startupSection,
  workbooks: printedBy('workbooks.mjs', 'Workbooks'),
  decision: printedBy('decision.mjs', 'The decision on an RFQ'),
  pages: printedBy('pages.mjs', 'Pages'),
  lists: printedBy('lists.mjs', 'Lists of any size'),
  polling: pollingSection,
}

const docs = new URL('../../docs/', import.meta.url)
const file = new URL('BENCHMARKS.md', docs)

/** The sections that the file has, by name. */
function writtenSections() {
  if (!existsSync(file)) return {}
  const found = readFileSync(file, 'utf8').matchAll(/<!-- (\S+) -->\n(.*?)<!-- end -->/gs)
  return Object.fromEntries([...found].map(([, name, text]) => [name, text]))
}

/** As Markdown; a chart becomes a picture beside the page. */
function render(name, { title, text, header, rows, chart, rounds, isWhole }) {
  const machine = `${cpuClass()}, ${availableParallelism()} processors, Node ${process.versions.node}, load average ${loadavg()[0]?.toFixed(0)}`
  const parts = [`## ${title}`, text]
  if (header) {
    const line = (cells) => `| ${cells.join(' | ')} |`
    parts.push([line(header), line(header.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n'))
  }
  if (chart) {
    writeFileSync(new URL(`images/bench-${name}.svg`, docs), barChart(chart))
    parts.push(`![${chart.title}](images/bench-${name}.svg)`)
  }
  const measured = rounds === null ? '' : `${rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`}. `
  if (!isWhole) parts.push(`${measured}${machine}.`)
  return `${parts.join('\n\n')}\n`
}

/** The class of the processor, without its number. */
const cpuClass = () =>
  (cpus()[0]?.model ?? 'unknown processor').replace(/\s*(?:@.*|CPU|Processor|\(R\)|\(TM\))/gi, '').trim()

const INTRODUCTION = `# Benchmarks

Written by \`npm run bench\`. Every figure is beside that of a baseline, measured in the same run: the ratios tell more than the times.
`

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '5' } },
  allowPositionals: true,
})
const rounds = Number(values.rounds)
const names = positionals.length > 0 ? positionals : Object.keys(sections)
for (const name of names)
  if (!sections[name]) throw new Error(`There is no benchmark ${name}: ${Object.keys(sections).join(', ')}`)
for (const name of names) {
  console.log(`${name} …`)
  const section = await sections[name](rounds)
  const written = { ...writtenSections(), [name]: render(name, { rounds, ...section }) }
  const texts = Object.keys(sections).flatMap((each) =>
    written[each] ? [`<!-- ${each} -->\n${written[each]}<!-- end -->\n`] : [],
  )
  writeFileSync(file, [INTRODUCTION, ...texts].join('\n'))
  console.log(written[name])
}
