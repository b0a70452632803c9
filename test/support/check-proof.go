// Checks a .tlog-proof by golang.org/x/mod (sumdb/note, sumdb/tlog), which others wrote: check-proof LEAF PROOF VKEY.
package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func fail(why error) {
	if why != nil {
		fmt.Fprintln(os.Stderr, why)
		os.Exit(1)
	}
}

func hash(text string) (h tlog.Hash) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	fail(err)
	copy(h[:], bytes)
	return h
}

func main() {
	leaf, err := os.ReadFile(os.Args[1])
	fail(err)
	proof, err := os.ReadFile(os.Args[2])
	fail(err)
	vkey, err := os.ReadFile(os.Args[3])
	fail(err)
	verifier, err := note.NewVerifier(strings.TrimSpace(string(vkey)))
	fail(err)
	head, checkpoint, _ := strings.Cut(string(proof), "\n\n")
	signed, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	fail(err)
	lines := strings.Split(signed.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	fail(err)
	records := strings.Split(head, "\n")
	index, err := strconv.ParseInt(strings.TrimPrefix(records[1], "index "), 10, 64)
	fail(err)
	var path tlog.RecordProof
	for _, line := range records[2:] {
		path = append(path, hash(line))
	}
	fail(tlog.CheckRecord(path, size, hash(lines[2]), index, tlog.RecordHash(leaf)))
	fmt.Printf("leaf %d of %d in %s\n", index, size, lines[0])
}
