import { type Batching, setting } from '@tributary/connector-kit'

/** The minutes between two loads, as the form has them. */
export type LoadMinutes = (typeof loadChoices)[number]['value']

/** The choices of the setting that says how often staged events are loaded. */
export const loadChoices = [
  { value: '1', label: '1 minute' },
  { value: '5', label: '5 minutes' },
  { value: '15', label: '15 minutes' },
  { value: '30', label: '30 minutes' },
  { value: '60', label: 'Hour' },
  { value: '180', label: '3 hours' },
  { value: '360', label: '6 hours' },
  { value: '720', label: '12 hours' },
  { value: '1440', label: '24 hours' },
] as const

/** Label and help text of that setting. */
export const loadTexts = {
  label: 'Load every',
  help: 'Events are staged first, and then loaded together. Nothing runs in the warehouse while nothing is staged.',
} as const

/** Creates the settings that say when staged events are loaded. `usual` is the default. */
export const everySetting = (usual: LoadMinutes) => ({
  load_minutes: setting.choice({ ...loadTexts, required: true, default: usual, choices: loadChoices }),
  load_hours: setting.text({
    label: 'Load only between',
    help: 'Hours of the day in UTC, such as 22-6. Loads that people start run at any time. Empty: all day.',
    maxLength: 5,
  }),
})

const hours = /^(\d{1,2})-(\d{1,2})$/

/** The hours of the day in which a warehouse is loaded, UTC: from the beginning of `from` to that of `to`. */
export type LoadHours = { from: number; to: number }

/** Reads the hours of a setting; undefined for all day. */
export const loadHoursOf = (text: string | undefined): LoadHours | undefined => {
  const [, from, to] = hours.exec(text ?? '') ?? []
  return from === undefined || to === undefined ? undefined : { from: Number(from), to: Number(to) % 24 }
}

/** Checks the settings of loads. */
export const loadProblems = ({
  load_hours: text = '',
}: {
  load_hours?: string | undefined
}): Record<string, string> => {
  if (text === '') return {}
  const found = hours.exec(text)
  const isValid = found !== null && Number(found[1]) < 24 && Number(found[2]) <= 24 && found[1] !== found[2]
  return isValid ? {} : { load_hours: 'Two different hours from 0 to 24, such as 22-6' }
}

/** Longest time in minutes that events wait in the log before they are staged. */
const longestWait = 60

/**
 * Returns how many events are staged at a time. Where running time is billed, events are staged as rarely as they are
 * loaded, but at least once an hour.
 */
export const stageBatching = (loadMinutes: string, isBilled: boolean): Batching => ({
  maxEvents: 10_000,
  maxBytes: 5 * 1024 * 1024,
  maxWaitMs: isBilled ? Math.min(Number(loadMinutes), longestWait) * 60_000 : 10_000,
})
