import type { LiveRun } from './run-contract.js'

/**
 * Parts of a poll that is in progress: what it reads, divided so that several processes can read it. A part is read by the process
 * that has claimed it. A claim that is not renewed expires after 30 seconds; then another process can claim the part.
 */
export interface PollParts {
  /**
   * Adds the parts of a poll, numbered from 0.
   * @param contents what each part consists of, as text; in several transactions
   * @throws RunLostError
   */
  addPollParts(run: LiveRun, contents: Iterable<string>): Promise<void>
  /**
   * Claims a part that is free: not finished, and claimed by nobody, or by a claim that has expired.
   * @param part by default the free one with the smallest number
   * @returns null if none is free, a part ended the poll, or the process that began the poll no longer renews its lease
   * @throws RunLostError if the poll has ended
   */
  claimPollPart(part: { runId: number; number?: number }): Promise<PartClaim | null>
  /**
   * Extends a claim, and adds requests that were sent for it; these count also if the claim is lost, as with the other methods.
   * @returns false if the part should not be read any further: the claim or the poll is lost, or a part ended the poll
   */
  renewPollPart(claim: PartClaim, requests: number): Promise<boolean>
  /**
   * Records the result of a part.
   * @returns false if another process has claimed it, so that its result counts
   * @throws RunLostError if the poll has ended
   */
  finishPollPart(
    claim: PartClaim,
    end: { result: string; requests: number /** No further part is claimed. */; endsPoll: boolean },
  ): Promise<boolean>
  /** Gives a claim back, so that another process can claim the part at once. */
  releasePollPart(claim: PartClaim, requests: number): Promise<void>
  /** How far a poll is. */
  pollPartsLeft(runId: number): Promise<PollPartsLeft>
  /** The parts of a poll by number. `result` is null until they are finished. */
  pollParts(runId: number): Promise<{ number: number; result: string | null; requests: number }[]>
}

export interface PartClaim {
  readonly runId: number
  readonly number: number
  /** Of the run. */
  readonly channel: string
  readonly content: string
  /** Identifies the claim. */
  readonly claimedBy: string
}

export interface PollPartsLeft {
  /** Not finished. */
  unfinished: number
  /** Of those, how many can be claimed. */
  free: number
  /** Whether a part has ended the poll. */
  ended: boolean
}
