/** What a task says of itself. */
export interface QueuedTask {
  /** Whose turn it needs. */
  user: string
  /** It may take seconds. */
  isHeavy: boolean
}

/** The tasks of each user that wait; the user whose turn it is comes first. */
type Turns<Task> = Map<string, Task[]>

/**
 * Decides which task starts next. Users take turns, with heavy tasks and with light ones. Heavy tasks start first, but never take the last
 * worker, so that reads need not wait for them. Those of one user leave one more worker to the heavy tasks of others, if there are
 * three workers or more.
 */
export class FairQueue<Task extends QueuedTask> {
  readonly #heavy: Turns<Task> = new Map()
  readonly #light: Turns<Task> = new Map()
  readonly #running = new Set<Task>()
  readonly #size: number

  /** @param size how many tasks run at once */
  constructor(size: number) {
    this.#size = size
  }

  add(task: Task): void {
    const turns = this.#turnsOf(task)
    const tasks = turns.get(task.user)
    if (tasks === undefined) turns.set(task.user, [task])
    else tasks.push(task)
  }

  /** The task that is to be started now; null if none may start before another has ended. */
  next(): Task | null {
    if (this.#running.size >= this.#size) return null
    for (const turns of [this.#heavy, this.#light]) {
      for (const [user, [task]] of turns) {
        if (task === undefined || !this.#mayStart(task)) continue
        this.remove(task)
        const others = turns.get(user)
        if (others !== undefined) {
          turns.delete(user)
          turns.set(user, others)
        }
        this.#running.add(task)
        return task
      }
    }
    return null
  }

  /** Removes a task that waits or has ended. */
  remove(task: Task): void {
    this.#running.delete(task)
    const turns = this.#turnsOf(task)
    const others = turns.get(task.user)?.filter((other) => other !== task) ?? []
    if (others.length > 0) turns.set(task.user, others)
    else turns.delete(task.user)
  }

  #turnsOf({ isHeavy }: Task): Turns<Task> {
    return isHeavy ? this.#heavy : this.#light
  }

  #mayStart({ user, isHeavy }: Task): boolean {
    if (!isHeavy) return true
    const heavy = [...this.#running].filter((task) => task.isHeavy)
    const own = heavy.filter((task) => task.user === user)
    return heavy.length < Math.max(1, this.#size - 1) && own.length < Math.max(1, this.#size - 2)
  }
}
