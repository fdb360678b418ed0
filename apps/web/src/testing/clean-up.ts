// Runs before each test file. Test files share a process and its loaded modules, so what one renders is taken away here,
// not by a module that only the first of them loads.
import { afterEach } from 'vitest'

if (typeof document !== 'undefined') {
  const { cleanup } = await import('@testing-library/react')
  afterEach(cleanup)
}
