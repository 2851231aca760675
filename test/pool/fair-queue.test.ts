import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../src/pool/fair-queue.js'

interface Task {
  user: string
  isHeavy: boolean
  name: string
}

const heavy = (user: string, count: number): Task[] =>
  Array.from({ length: count }, (_, at) => ({ user, isHeavy: true, name: `${user}${at}` }))
const light = (user: string, count: number): Task[] =>
  heavy(user, count).map((task) => ({ ...task, isHeavy: false, name: 'read' }))

function queueOf(size: number, tasks: readonly Task[]) {
  const queue = new FairQueue<Task>(size)
  for (const task of tasks) queue.add(task)
  const running: Task[] = []
  const start = (): string[] => {
    const started: Task[] = []
    for (let task = queue.next(); task !== null; task = queue.next()) started.push(task)
    running.push(...started)
    return started.map(({ name }) => name)
  }
  /** Ends the task that has run longest. */
  const end = () => {
    const task = running.shift()
    if (task !== undefined) queue.remove(task)
  }
  return { queue, running, start, end }
}

/** The order in which tasks start if the one that has run longest always ends next. */
function startsOf(size: number, tasks: readonly Task[]): string[] {
  const { running, start, end } = queueOf(size, tasks)
  const order = start()
  while (running.length > 0) {
    end()
    order.push(...start())
  }
  return order
}

describe('fair queue', () => {
  it.each([2, 3])(
    'lets users take turns with heavy tasks, whatever one of them asked for before (%i workers)',
    (size) => {
      const order = startsOf(size, [...heavy('a', 8), ...heavy('b', 3), ...heavy('c', 1)])
      expect(order).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'b2', 'a3', 'a4', 'a5', 'a6', 'a7'])
    },
  )

  it('starts a read at once, of the same user too, while eight comparisons wait', () => {
    for (const size of [2, 3, 4]) {
      const { queue, start, end } = queueOf(size, heavy('a', 8))
      for (let round = 0; round < 8; round++) {
        start()
        for (const user of ['a', 'b']) {
          const [read] = light(user, 1)
          queue.add(read as Task)
          expect(queue.next()).toBe(read)
          queue.remove(read as Task)
        }
        end()
      }
    }
  })

  it('starts the comparison of another user at once while eight of one user wait, with three workers or more', () => {
    for (const size of [3, 4]) {
      const { queue, start } = queueOf(size, heavy('a', 8))
      start()
      queue.add(heavy('b', 1)[0] as Task)
      expect(start()).toEqual(['b0'])
    }
  })

  it('one worker does everything, one task after another', () => {
    expect(startsOf(1, [...heavy('a', 2), ...light('a', 1), ...heavy('b', 1)])).toEqual(['a0', 'b0', 'a1', 'read'])
  })

  it('a task that is removed does not start', () => {
    const tasks = heavy('a', 2)
    const { queue, start, end } = queueOf(2, tasks)
    start()
    queue.remove(tasks[1] as Task)
    end()
    expect(start()).toEqual([])
  })

  it('starts every task, those of a user in their order, and always keeps a worker for reads', () => {
    const task = fc.record({ user: fc.constantFrom('a', 'b', 'c'), isHeavy: fc.boolean() })
    const sizes = fc.integer({ min: 2, max: 4 })
    fc.assert(
      fc.property(sizes, fc.array(task, { maxLength: 40 }), fc.array(fc.nat(3)), (size, given, ends) => {
        const tasks = given.map((each, at) => ({ ...each, name: String(at) }))
        const { queue, running, start } = queueOf(size, tasks)
        const started: string[] = []
        for (let round = 0; started.length < tasks.length; round++) {
          for (const name of start()) started.push(name)
          expect(running.length).toBeLessThanOrEqual(size)
          expect(running.filter(({ isHeavy }) => isHeavy).length).toBeLessThan(size)
          const [ended] = running.splice((ends[round] ?? 0) % running.length, 1)
          if (ended !== undefined) queue.remove(ended)
        }
        for (const user of ['a', 'b', 'c'])
          for (const isHeavy of [true, false]) {
            const own = tasks.filter((each) => each.user === user && each.isHeavy === isHeavy).map(({ name }) => name)
            expect(started.filter((name) => own.includes(name))).toEqual(own)
          }
      }),
    )
  })
})
