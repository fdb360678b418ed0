import { defineDataSource, defineSettings, setting } from '@tributary/connector-kit'
import { download, unzippedName } from '../../wire/files/download.ts'
import { openFileSession } from '../../wire/files/file-session.ts'
import { fileSettings, formatOf, formatSteps } from '../../wire/files/settings.ts'

/** Returns the last part of the path of a URL. */
const nameOf = (url: string): string => {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Reads a file from a web server, always in its current version. */
export const fileUrl = defineDataSource({
  slug: 'file-url',
  title: 'File at a URL',
  description: 'Reads the rows of a CSV, NDJSON, or Parquet file from a web server, as it is at each run.',
  file: true,
  docs: {
    url: 'https://www.rfc-editor.org/rfc/rfc9110',
    steps: [
      {
        title: 'Serve a file',
        text: 'Enter the URL at which the file can be downloaded with a GET request. Redirects are not followed. A name that ends in `.gz` is a file compressed with gzip. If the server asks for credentials, enter them as headers, and use `https`.',
      },
      {
        title: 'Allow network access',
        text: 'Allow connections from Tributary in your firewall. To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      ...formatSteps,
    ],
  },
  settings: defineSettings({
    url: setting.url({ label: 'URL', help: 'Where the file is downloaded from.', required: true }),
    headers: setting.headers({
      label: 'Headers',
      help: 'Sent with each request, such as Authorization.',
      sentTo: [{ setting: 'url', by: 'origin' }],
    }),
    ...fileSettings,
  }),
  open: async ({ settings, connect, signal, scratch }) => {
    if (scratch === undefined) throw new Error('There is no place for the file')
    const { url, headers = {} } = settings
    const { isZipped, name } = unzippedName(nameOf(url))
    const files = [{ name, path: scratch.path, format: formatOf(settings, name) }]
    await download({ url, headers, isZipped }, scratch, { connect, signal })
    return openFileSession({ title: name === '' ? url : name, files, known: undefined, signal })
  },
})
