import { checkSync } from 'recheck'
import { isLinearByForm } from './parts.ts'
import { slowText } from './pumped.ts'

// Runs the analyzer in this thread: its other versions need Java, or a program for one type of processor.
process.env['RECHECK_SYNC_BACKEND'] = 'pure'

/**
 * Maximum time in ms that the analyzer spends on an expression. An expression that takes longer counts as too
 * complicated.
 */
const analyzerMs = 30_000

/** Returns why an expression may take more than linear time; undefined if it is linear. */
export const problemOfExpression = (source: string, flags: string): string | undefined => {
  if (!isLinearByForm(source, flags)) {
    const verdict = checkSync(source, flags, { timeout: analyzerMs, attackTimeout: analyzerMs })
    if (verdict.status === 'vulnerable') return `${verdict.complexity.summary}, as for ${verdict.attack.pattern}`
    if (verdict.status === 'unknown')
      return `the analyzer cannot tell (${verdict.error.kind}): write it in a simpler form`
  }
  const slow = slowText(source, flags)
  return slow === undefined
    ? undefined
    : `${slow.ms} ms for 60,000 characters that begin with ${JSON.stringify(slow.text)}`
}
