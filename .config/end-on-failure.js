// A mutant needs one failing input. Looking for the smallest one takes longer than all other tests.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
