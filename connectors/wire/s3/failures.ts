import { elementText } from '../access/elements.ts'
/** Returns the error in a response's body (S3 API, "Error responses"). */
export const errorOf = (body: string): { code: string; message: string } => {
  const part = (name: string): string => elementText(body, name)?.trim() ?? ''
  return { code: part('Code'), message: part('Message') }
}

const later = new Set(['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted', 'Busy'])

/** Returns the message of a failed response, and whether the error is temporary. */
export const failureWords = (
  answer: { status: number; body: string; bucketRegion: string | undefined },
  region: string,
): { code: string; text: string; isLater: boolean } => {
  const { code, message } = errorOf(answer.body)
  const text = code === '' ? `HTTP ${answer.status}` : `${code}: ${message || `HTTP ${answer.status}`}`
  if (code === 'RequestTimeTooSkewed')
    return { code, text: `This server's clock differs from the storage's clock. ${text}`, isLater: true }
  const other = answer.bucketRegion
  const hint = other === undefined || other === region ? '' : ` The bucket is in the region ${other}.`
  return { code, text: `${text}${hint}`, isLater: later.has(code) }
}
