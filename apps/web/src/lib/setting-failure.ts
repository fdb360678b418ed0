import { ApiError } from './errors.ts'

/** Why a setting could not be changed: words for people, and what whoever refused it says more. */
export type SettingFailure = { message: string; detail?: string }

/** What is shown below a setting that could not be changed. */
export const settingFailure = (error: unknown, name: string): SettingFailure => {
  const { value: message, detail } = (error instanceof ApiError ? error.body.metadata : undefined) ?? {}
  if (message === undefined || message === '') return { message: `Failed to update the ${name}.` }
  return detail === undefined || detail === '' ? { message } : { message, detail }
}
