import { isJsonObject } from '@tributary/kernel'
import type { Call } from './send-request.ts'

/** Returns the body of a response as a JSON object; undefined for any other body. */
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
