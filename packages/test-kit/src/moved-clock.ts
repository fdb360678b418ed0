// Loaded before the product by a test that moves its clock. In the process and in each of its threads `Date.now` is
// ahead by the milliseconds in a file, which the query of this module's address names.
import { readFileSync } from 'node:fs'

const file = new URL(import.meta.url).searchParams.get('file') ?? ''
const machine = Date.now
let ahead = 0
const look = (): void => {
  try {
    ahead = Number(readFileSync(file, 'utf8'))
  } catch {
    // The product's folder is gone, at its end.
  }
}
look()
setInterval(look, 50).unref()
Date.now = () => machine() + ahead
