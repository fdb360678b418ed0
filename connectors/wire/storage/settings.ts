import { setting } from '@tributary/connector-kit'

/** The texts of a kind of storage, such as `object` and `the bucket`. */
type StorageWords = { file: string; top: string }

/** Returns a noun with its article. */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/** Returns a text that begins with a capital letter. */
export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Creates the settings of the files in a storage. */
export const storageSettings = ({ file, top }: StorageWords) => ({
  prefix: setting.text({
    label: 'Prefix',
    help: `Folder to write ${file}s to. Use / for the top of ${top}.`,
    default: 'events',
    maxLength: 500,
  }),
  format: setting.choice({
    label: 'Format',
    help: 'One JSON object per line.',
    required: true,
    default: 'gzip',
    choices: [
      { value: 'gzip', label: 'JSON lines, gzip' },
      { value: 'json', label: 'JSON lines' },
    ],
  }),
  wait_seconds: setting.number({
    label: 'Maximum wait (s)',
    help: `${capitalized(withArticle(file))} is written after this time, at 10,000 events, or at 5 MB.`,
    required: true,
    default: 60,
    min: 10,
    max: 900,
  }),
})

/** The settings that decide the names and the form of files. */
export type StorageSettings = { readonly prefix: string; readonly format: 'gzip' | 'json' }

/** Checks rules that the setting types do not include. */
export const prefixProblems = ({ prefix = '' }: { prefix?: string | undefined }): Record<string, string> =>
  /\p{Cc}/u.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..')
    ? { prefix: 'Use names joined by slashes, without . or ..' }
    : {}
