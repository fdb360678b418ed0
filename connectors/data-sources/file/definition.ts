import { DataQueryError, defineDataSource, defineSettings } from '@tributary/connector-kit'
import { openFileSession } from '../../wire/files/file-session.ts'
import { fileSettings, formatOf, formatSteps } from '../../wire/files/settings.ts'

/** Reads an uploaded file. */
export const file = defineDataSource({
  slug: 'file',
  title: 'File upload',
  description: 'Reads the rows of a CSV, NDJSON, or Parquet file that you upload.',
  file: true,
  upload: true,
  docs: {
    url: 'https://www.rfc-editor.org/rfc/rfc4180',
    steps: [
      {
        title: 'Upload a file',
        text: 'After you create the data source, upload a file under **File**. A new upload replaces the file, and syncs read it from their next run on.',
      },
      ...formatSteps,
    ],
  },
  settings: defineSettings(fileSettings),
  open: async ({ settings, signal, upload }) => {
    if (upload === undefined) throw new DataQueryError('No file has been uploaded yet')
    const { title, path, scan } = upload
    const files = [{ name: title, path, format: formatOf(settings, title) }]
    return openFileSession({ title, files, known: scan, signal })
  },
})
