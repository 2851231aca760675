import type { Settings } from '../../core/decision/settings.js'
import { positiveOrNull } from '../../core/numbers.js'
import { formatTonnes } from '../../core/text/number-format.js'
import type { Unreadable } from '../input/comparison-input.js'
import { isUnreadable } from '../input/stored-documents.js'

/** The tonnes that an award may have. */
interface AwardWindow {
  /** Minimum tonnes; null if neither the RFQ nor the settings state one. Coverage is measured against it. */
  lower: number | null
  /** Maximum tonnes; null if unlimited. */
  upper: number | null
  /** Whether `upper` is the RFQ's maximum; otherwise a single larger offer may be awarded too. */
  isUpperStated: boolean
  /** Why no award can be recommended: one sentence, or null. */
  problem: string | null
  /** Where the limits come from, or `problem`; one sentence. */
  message: string
}

/** Without a stated maximum, an award has at most this multiple of the requested tonnes. */
const WITHOUT_MAXIMUM = 2

/**
 * The RFQ's minimum to its maximum; the volume of the settings raises the lower end. Without a maximum, or if it is waived, the upper end
 * is twice the lower one.
 */
export function awardWindow(
  stated: { minVolume: number | null; maxVolume: number | null; unreadable: Unreadable },
  { volume: set, requirements }: Pick<Settings, 'volume' | 'requirements'>,
): AwardWindow {
  const [min, max, volume] = [positiveOrNull(stated.minVolume), positiveOrNull(stated.maxVolume), positiveOrNull(set)]
  const unknown = (['minVolume', 'maxVolume'] as const).find((member) => isUnreadable(stated.unreadable, member))
  if (unknown !== undefined) {
    const problem = `No award is recommended, because the ${unknown} that the RFQ states cannot be read.`
    return { lower: null, upper: null, isUpperStated: false, problem, message: problem }
  }
  const isUpperStated = max !== null && requirements.volumeMax === 'hard'
  const lower = min === null || (volume ?? 0) > min ? (volume ?? min) : min
  if (lower === null) {
    const problem =
      'No award is recommended, because the RFQ states no minimum volume: say how many tonnes to award (“volume”).'
    return { lower, upper: isUpperStated ? max : null, isUpperStated, problem, message: problem }
  }
  const lowerText = lower === min ? "the RFQ's minimum" : 'the volume entered'
  const upper = isUpperStated ? max : Math.max(WITHOUT_MAXIMUM * lower, max ?? 0)
  if (upper < lower) {
    const problem = `No award is recommended, because ${lowerText}, ${formatTonnes(lower)}, is above the RFQ's maximum of ${formatTonnes(upper)}.`
    return { lower, upper, isUpperStated, problem, message: problem }
  }
  const waived = max === null ? 'the RFQ states no maximum' : `the RFQ's maximum of ${formatTonnes(max)} is waived`
  const upperText = isUpperStated ? "the RFQ's maximum" : upper === max ? waived : `twice that, because ${waived}`
  const below = volume !== null && volume < lower ? ` The volume entered, ${formatTonnes(volume)}, is below that.` : ''
  const message = `${formatTonnes(lower)}, ${lowerText}, to ${formatTonnes(upper)}, ${upperText}.${below}`
  return { lower, upper, isUpperStated, problem: null, message }
}
