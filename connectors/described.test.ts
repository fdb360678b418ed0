import { globSync, readFileSync } from 'node:fs'
import { testDescription } from '@tributary/connector-kit/testing-description'
import { normalizations } from './wire/normalization/index.ts'

const folder = new URL('./destinations/', import.meta.url)

for (const file of globSync('*/description.json', { cwd: folder }).toSorted())
  testDescription(
    readFileSync(new URL(file, folder), 'utf8'),
    readFileSync(new URL(file.replace('description.json', 'guide.md'), folder), 'utf8'),
    normalizations,
  )
