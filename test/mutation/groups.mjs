/**
 * What `npm run mutate` mutates, and the tests that must notice. Only tests that own the code: with all tests that execute it,
 * one run would take hours. No test that starts processes of its own: those would run the code built before the mutation.
 */
export const groups = {
  closing: {
    mutate: ['src/closing/*.ts', '!src/closing/{contract,errors}.ts', 'src/domain/close-intent.ts'],
    tests: ['test/closing/*.test.ts'],
  },
  expiry: { mutate: ['src/domain/expiry.ts'], tests: ['test/domain/expiry.test.ts'] },
  selection: {
    mutate: ['src/sync/{list-conflict,list-entries,mass-loss,poll-inputs,selection}.ts'],
    tests: ['test/sync/*.test.ts', 'test/closing/list-conflict.integration.test.ts'],
  },
  retry: {
    mutate: ['src/marketplace/{retry,retry-after}.ts'],
    tests: ['test/marketplace/{retry,retry-after,pauses,client}.test.ts'],
  },
  limiter: {
    mutate: ['src/marketplace/{rate-limiter,limit-share}.ts', 'src/domain/request-ledger.ts'],
    tests: ['test/marketplace/{rate-limiter,shared-limits,pauses}.test.ts', 'test/domain/request-ledger.test.ts'],
  },
  recorder: {
    mutate: ['src/store/recorder.ts'],
    tests: ['test/store/{store,as-of}.integration.test.ts', 'test/sync/*.test.ts'],
  },
}
