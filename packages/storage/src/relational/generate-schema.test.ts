import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { generateSchema } from './generate-schema.ts'

const folder = fileURLToPath(new URL('./migrations/', import.meta.url))

test('the types of tables are those that follow from the migrations', async () => {
  await using store = await createTestDatabase()
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const statements = files.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
  await expect(await generateSchema(store.pool, statements.join('\n'))).toMatchFileSnapshot('schema.generated.ts')
})
