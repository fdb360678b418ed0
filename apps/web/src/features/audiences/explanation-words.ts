import type { AudienceExplanation } from '@tributary/contract'
import { count, pluralise } from '../../lib/format/text.ts'

/** Why a profile is in an audience or not: '2 of 3 conditions are true.' */
export const reasonOf = ({ met, suppressed, anonymous, conditions, enter_time }: AudienceExplanation): string => {
  if (suppressed) return 'Suppressed users are in no audience.'
  const held = conditions.filter((each) => each.met).length
  const total = conditions.length
  const noun = held === 0 ? 'conditions' : pluralise(total, 'condition')
  const holds = `${count(held)} of ${count(total)} ${noun} ${held === 1 ? 'is' : 'are'} true.`
  if (anonymous) return `${holds} The audience leaves out profiles without a user ID.`
  // The result of the conditions is that for the current traits.
  if (met !== (enter_time !== null)) return `${holds} The profile has changed since the audience was computed.`
  return holds
}
