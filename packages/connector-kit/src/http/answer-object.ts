import { isJsonObject } from '@tributary/kernel'
import type { Call } from './send-request.ts'

/** The body of a response as a JSON object; undefined for another body. */
export const answerObject = ({
  answer: { body },
}: Pick<Call, 'answer'>): Readonly<Record<string, unknown>> | undefined => {
  try {
    const answer: unknown = JSON.parse(body)
    return isJsonObject(answer) ? answer : undefined
  } catch {
    return undefined
  }
}
