// The part of the connectors' S3 code that the product's own blobs need.
export { failureWords } from './failures.ts'
export { listQuery, pageOf } from './list-page.ts'
export { signRequest } from './sign.ts'
