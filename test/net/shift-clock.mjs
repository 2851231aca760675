// Loaded into the program before anything else: shifts its wall clock by the milliseconds in the file that NET_CLOCK names.
// The monotonic clock goes on as it does.
import { readFileSync } from 'node:fs'

const file = process.env.NET_CLOCK
const RealDate = Date
const CHECK_EVERY_MS = 10
let shift = 0
let checkedAt = Number.NEGATIVE_INFINITY

function now() {
  const moment = performance.now()
  if (moment - checkedAt > CHECK_EVERY_MS) {
    shift = Number(readFileSync(file, 'utf8'))
    checkedAt = moment
  }
  return RealDate.now() + shift
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
})
