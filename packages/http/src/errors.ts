import { AppError, type ErrorBody, isRecord, newId } from '@tributary/kernel'

const frameworkErrors: Readonly<Record<string, AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new AppError(413, 'BODY_TOO_LARGE', 'The request body is too large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new AppError(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body as JSON with content-type: application/json',
  ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new AppError(
    400,
    'CONTENT_LENGTH',
    "The body's length does not match content-length",
  ),
  FST_ERR_BAD_URL: new AppError(400, 'BAD_URL', 'The address is not a valid URL'),
  FST_ERR_ASYNC_CONSTRAINT: new AppError(400, 'BAD_REQUEST', "The request can't be understood"),
}

const codeOf = (error: unknown): string => {
  if (!isRecord(error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** Returns an expected failure; undefined if the error is a fault whose text must not leave the server. */
export const expectedError = (error: unknown): AppError | undefined =>
  error instanceof AppError ? error : frameworkErrors[codeOf(error)]

/** Returns the body for a fault, which only has an ID to find the fault in the log. */
export const faultBody = (): ErrorBody & { metadata: { error_id: string } } => ({
  code: 500,
  reason: 'INTERNAL',
  message: 'Something went wrong on our side. Try again. If this continues, give the operator the error ID.',
  metadata: { error_id: newId() },
})
