// Waits longer for a busy machine: the library's one second is too short there.
import { configure } from '@testing-library/react'

configure({ asyncUtilTimeout: 20_000 })
