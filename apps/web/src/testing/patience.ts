// What a busy machine shows late is waited for: the second that the library waits is too short there.
import { configure } from '@testing-library/react'

configure({ asyncUtilTimeout: 20_000 })
