import { ApiError } from './errors.ts'

/** What is shown below a setting that could not be changed. */
export const settingFailure = (error: unknown, name: string): string => {
  const message = error instanceof ApiError ? error.body.metadata?.value : undefined
  return message === undefined || message === '' ? `Failed to update the ${name}.` : message
}
