// How soon changes are found within the request limit, planned and reading everything, over a simulated day:
//   npm run bench:polling -- [RFQs] [offers per RFQ]
// Prints the tables of docs/BENCHMARKS.md. The rules are those of docs/POLLING.md; the schedule is every five minutes.
import { KINDS, simulateDay } from './polling-day.mjs'

const [rfqs = 1_000, offers = 10] = process.argv.slice(2).map(Number)
const policies = [
  { name: 'planned, 20/s', policy: 'planned', perSecond: 20 },
  { name: 'everything, 20/s', policy: 'everything', perSecond: 20 },
  { name: 'planned, 5/s', policy: 'planned', perSecond: 5 },
  { name: 'everything, 5/s', policy: 'everything', perSecond: 5 },
]
const results = []
for (const each of policies) results.push({ ...each, ...(await simulateDay({ ...each, rfqs, offers })) })

const quantile = (values, share) => values[Math.min(values.length - 1, Math.floor(values.length * share))]
const minutes = (seconds) => (seconds === undefined ? '–' : (seconds / 60).toFixed(1))
const figures = (found) => {
  const sorted = found.toSorted((a, b) => a - b)
  return [quantile(sorted, 0.5), quantile(sorted, 0.95), sorted.at(-1)].map(minutes).join(' / ')
}
const row = (cells) => console.log(`| ${cells.join(' | ')} |`)

console.log(`A day of ${rfqs} open RFQs with ${offers} offers each, polled every five minutes, simulated.\n`)
console.log('Minutes from a change to the request that shows it: median / 95th percentile / maximum.\n')
row(['change', ...policies.map(({ name }) => name)])
row(Array(policies.length + 1).fill('---'))
for (const kind of Object.keys(KINDS)) row([kind, ...results.map(({ delays }) => figures(delays.get(kind)))])

const found = ({ delays }) => [...delays.values()].flat().length
const whole = (number) => Math.round(number).toLocaleString('en-US')
console.log()
row(['', ...policies.map(({ name }) => name)])
row(Array(policies.length + 1).fill('---'))
row(['requests', ...results.map(({ requests }) => whole(requests))])
row(['changes found', ...results.map((result) => whole(found(result)))])
row(['requests per change found', ...results.map((result) => whole(result.requests / found(result)))])
row(['polls', ...results.map(({ count }) => whole(count))])
row(['documents postponed per poll', ...results.map(({ postponed, count }) => whole(postponed / count))])
row(['oldest terms during the day, minutes', ...results.map(({ oldestMinutes }) => whole(oldestMinutes))])
row(['rate needed and allowed, per second', ...results.map(ratesOf)])

function ratesOf({ rates }) {
  return rates === null ? '–' : `${rates.required.toFixed(1)} of ${rates.allowed.toFixed(1)}`
}
