// Waits longer than the one second of the library, which is too short on a busy machine.
import { configure } from '@testing-library/react'

configure({ asyncUtilTimeout: 20_000 })
